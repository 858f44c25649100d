import type { Denial } from "../../model/decision.ts";
import { explainValue, type Found, given, shown, wanted } from "../../model/wrong-value/explain-value.ts";
import { isOpen, UNFILLED } from "../../model/wrong-value/placeholder.ts";
import { hideSecrets, isSecret } from "../../model/wrong-value/texts/secret-text.ts";
import { forProvider } from "../../model/wrong-value/read/read-within.ts";
import { dotted, nodeAt, type SchemaNode } from "../../model/wrong-value/schema-node.ts";
import { denial } from "./denial.ts";
import kaasCluster from "../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplate from "../../../schemas/vm-template.schema.json" with { type: "json" };
import type { Kind } from "../../model/names.ts";
import { isObject, pointerKey } from "../../model/json.ts";
import { parseDuration } from "../../model/time.ts";

/** The part of a JSON Schema that limits sizes. */
export interface SizedSchema {
  type?: string | readonly string[];
  maxItems?: number;
  maxLength?: number;
  maxProperties?: number;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, SizedSchema>>;
  items?: SizedSchema;
  additionalProperties?: boolean | SizedSchema;
}

/** The position of a value that is larger than its schema allows. */
export interface OverLimit {
  /** JSON pointer. */
  pointer: string;
  detail: string;
  correction: string;
}

/** Limit of unknown fields, because the validator reports each. */
const UNKNOWN_FIELDS = 20;
/** Limits of values in a map or list where none is expected, and in all of them: they are read for what can be meant, which takes longer than their length accounts for. */
const MISPLACED_VALUES = { each: 200, all: 1000 } as const;
/** Limit of characters of a key: a label of Kubernetes with its prefix has at most 317. */
const KEY_CHARACTERS = 400;
/** Limit of characters of a text where none, or one of a few words, is expected. */
const MISPLACED_CHARACTERS = 1000;

const over = (pointer: string, count: number | string, limit: number, what: string): OverLimit => ({
  pointer,
  detail: `has ${String(count)} ${what}`,
  correction: `write at most ${String(limit)}`,
});

/** Counts over a whole value: the values that are misplaced. */
interface Counted {
  misplaced: number;
}

function overItems(schema: SizedSchema, list: readonly unknown[], pointer: string, counted: Counted): OverLimit | null {
  const { maxItems = Infinity, items = {} } = schema;
  if (list.length > maxItems) return over(pointer, list.length, maxItems, "entries");
  return first(list.entries(), (index, item) => overPart(items, item, `${pointer}/${String(index)}`, counted));
}

function overFields(
  schema: SizedSchema,
  fields: Record<string, unknown>,
  pointer: string,
  counted: Counted,
): OverLimit | null {
  const { properties = {}, additionalProperties: others = true } = schema;
  const closed = others === false ? Object.keys(properties).length + UNKNOWN_FIELDS : Infinity;
  const limit = schema.maxProperties ?? closed;
  const keys = Object.keys(fields);
  if (keys.length > limit) return over(pointer, keys.length, limit, "fields");
  const long = overKey(fields, pointer);
  if (long !== null) return long;
  const schemaOf = (key: string): SizedSchema => properties[key] ?? (typeof others === "boolean" ? {} : others);
  return first(Object.entries(fields), (key, value) =>
    overPart(schemaOf(key), value, `${pointer}/${pointerKey(key)}`, counted),
  );
}

function first<Key>(
  entries: Iterable<readonly [Key, unknown]>,
  check: (key: Key, value: unknown) => OverLimit | null,
): OverLimit | null {
  for (const [key, value] of entries) {
    const found = check(key, value);
    if (found !== null) return found;
  }
  return null;
}

/** Characters of a text that a message about it shows: of the shorter ones, more can be said than that they are too long. */
const SHOWN = 60;

/**
 * The first list, map or text that is larger than its schema allows; null if there is none. A validator that reports every
 * error must not see such a value: it would report an error for each of a million items.
 */
export const overLimits = (schema: SizedSchema, value: unknown): OverLimit | null =>
  overPart(schema, value, "", { misplaced: 0 });

function overPart(schema: SizedSchema, value: unknown, pointer: string, counted: Counted): OverLimit | null {
  if (typeof value === "string") return overText(schema, value, pointer);
  if (!isObject(value) && !Array.isArray(value)) return null;
  const isMisplaced = pointer !== "" && !expects(schema, Array.isArray(value) ? "array" : "object");
  if (isMisplaced) return overMisplaced(value, pointer, counted);
  return Array.isArray(value)
    ? overItems(schema, value, pointer, counted)
    : overFields(schema, value, pointer, counted);
}

const expects = ({ type }: SizedSchema, wanted: string): boolean =>
  type === wanted || (Array.isArray(type) && type.includes(wanted));

function overText(schema: SizedSchema, text: string, pointer: string): OverLimit | null {
  const isMisplaced = schema.enum !== undefined || (schema.type !== undefined && !expects(schema, "string"));
  const { maxLength = isMisplaced ? MISPLACED_CHARACTERS : Infinity } = schema;
  if (text.length <= Math.max(isMisplaced ? maxLength : 2 * maxLength, SHOWN)) return null;
  return over(pointer, text.length, maxLength, "characters");
}

/** The length of the longest key of a map, or of all maps within it. */
function longestKey(value: unknown, isDeep: boolean): number {
  if (typeof value !== "object" || value === null) return 0;
  const lengths = Object.entries(value).map(([key, one]) => Math.max(key.length, isDeep ? longestKey(one, true) : 0));
  return lengths.reduce((most, one) => Math.max(most, one), 0);
}

/** A key that is longer than any name: explanations compare keys with names. */
function overKey(fields: object, pointer: string, isDeep = false): OverLimit | null {
  const length = longestKey(fields, isDeep);
  return length > KEY_CHARACTERS ? over(pointer, length, KEY_CHARACTERS, "characters in the name of a field") : null;
}

/** How many maps, lists and other values a value consists of; the count stops behind `most`. */
function valuesIn(value: unknown, most: number): number {
  if (!isObject(value) && !Array.isArray(value)) return 1;
  let count = 1;
  for (const one of Object.values(value)) {
    count += valuesIn(one, most - count);
    if (count > most) break;
  }
  return count;
}

/** A large map or list where the schema takes another type, or knows no field. */
function overMisplaced(value: object, pointer: string, counted: Counted): OverLimit | null {
  const { each, all } = MISPLACED_VALUES;
  const count = valuesIn(value, each);
  counted.misplaced += count;
  if (count > each) return over(pointer, `more than ${String(each)}`, each, "values");
  const long = overKey(value, pointer, true);
  if (long !== null) return long;
  return counted.misplaced > all ? over(pointer, `more than ${String(all)}`, all, "values with others like it") : null;
}

/** The schema of each kind's spec, with what it says for messages. */
export const SCHEMAS: Readonly<Record<Kind, SchemaNode>> = { VmTemplate: vmTemplate, KaasCluster: kaasCluster };

/** No object that a user writes has more. A list of thousands of wrong entries must not fill the log. */
export const MAX_DENIALS = 100;

/** Durations and times have codes of their own. */
function codeOf(
  { keyword, value }: Found,
  { "x-reads": reads }: SchemaNode,
): "ADM_SCHEMA" | "ADM_DURATION" | "ADM_TIME" {
  if (typeof value !== "string") return "ADM_SCHEMA";
  if (keyword === "format") return "ADM_TIME";
  return reads === "duration" && keyword === "pattern" ? "ADM_DURATION" : "ADM_SCHEMA";
}

/** The same without parts that may be secrets: not even the correction repeats them. */
function withoutSecrets(found: Found): Found {
  const { pointer, value, patch: _patch, ...rest } = found;
  if (pointer === "/userData" || !isSecret(pointer, value)) return found;
  const hide = (text: string): string => hideSecrets(text, pointer, value);
  return { ...rest, pointer, value, detail: hide(rest.detail), correction: hide(rest.correction) };
}

/** A denial for what is wrong at a place of the spec. `text`: the value for the message, with a space before it. */
export function fieldDenial(schema: SchemaNode, found: Found, text = given(found.pointer, found.value)): Denial {
  const { pointer, value, detail, correction, patch } = withoutSecrets(found);
  const where = { field: `spec${dotted(pointer)}`, actual: shown(pointer, value) };
  const params = { given: text, detail, correction };
  const made = denial(codeOf(found, nodeAt(schema, pointer)), where, params);
  return patch === undefined ? made : { ...made, patch };
}

/** The denials for the problems of a spec. */
export const schemaDenials = (schema: SchemaNode, all: readonly Found[]): Denial[] =>
  all.slice(0, MAX_DENIALS).map((found) => fieldDenial(schema, found));

/** The texts of a value that a user should have filled in, by their places. A script has variables of its own. */
function unfilledIn(schema: SchemaNode, value: unknown, pointer = ""): [pointer: string, text: string][] {
  if (typeof value === "string") {
    const { "x-structure": structure, "x-free": isFree } = nodeAt(schema, pointer);
    return structure === undefined && isOpen(value, isFree) ? [[pointer, value]] : [];
  }
  return isObject(value) || Array.isArray(value)
    ? Object.entries(value).flatMap(([key, one]) => unfilledIn(schema, one, `${pointer}/${pointerKey(key)}`))
    : [];
}

/** Denials for placeholders that the schema accepts, such as `image: ${IMAGE}`. */
export const unfilledDenials = (schema: SchemaNode, spec: unknown): Denial[] =>
  unfilledIn(schema, spec).map(([pointer, value]) => {
    const correction = `write ${wanted(pointer, nodeAt(forProvider(schema, spec), pointer))}`;
    return fieldDenial(schema, { pointer, value, keyword: "pattern", detail: UNFILLED, correction });
  });

/** Nothing matches it: the schema accepts the value, and it is wrong nevertheless. */
const NOTHING = "(?!)";

/** The denial for a duration or a time of spec that the schema accepts, and that is none. */
export function timeDenial(schema: SchemaNode, pointer: string, value: unknown): Denial {
  const node = nodeAt(schema, pointer);
  const keyword = node.format === undefined ? "pattern" : "format";
  const { patch: _patch, ...rest } = explainValue(pointer, { ...node, pattern: NOTHING }, value);
  return fieldDenial(schema, { ...rest, pointer, value, keyword });
}

/** The denial for a duration of spec that is longer than its schema allows; null if it is not. */
export function lengthDenial(schema: SchemaNode, pointer: string, value: string): Denial | null {
  const { "x-longest": longest } = nodeAt(schema, pointer);
  if (longest === undefined || (parseDuration(value) ?? 0) <= (parseDuration(longest) ?? Infinity)) return null;
  const correction = `write at most ${longest}, or omit it for an object that runs until it is deleted`;
  const where = { field: `spec${dotted(pointer)}`, actual: value, allowed: longest };
  return denial("ADM_DURATION", where, { detail: `is longer than ${longest}`, correction });
}
