import type { PatchOperation } from "../decision.ts";
import { accepts, FIELD, type Reading, type SchemaNode, typeOf } from "./schema-node.ts";
import { readValue } from "./read/read-value.ts";
import { isObject, keysOf, textOf } from "../json.ts";
import { isSecret } from "./texts/secret-text.ts";
import { whyRefused } from "./why-refused.ts";
import { table } from "../table.ts";

/** YAML 1.1 reads these as booleans or null. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
const PLAIN = /^[A-Za-z0-9][\w./@:-]*$/;
/** Numbers, also with exponents and base 60. */
const NUMBER = /^[\d.:_+-]+$|^\d[\d.]*e[+-]?\d+$/i;

const isPlain = (text: string): boolean =>
  PLAIN.test(text) && !text.endsWith(":") && !WORDS.test(text) && !NUMBER.test(text);

/** A value in YAML's flow notation, as one writes it into a manifest. */
export function flow(value: unknown): string {
  if (typeof value === "string") return isPlain(value) ? value : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (!isObject(value)) return textOf(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${flow(key)}: ${flow(one)}`)
    .join(", ")}}`;
}

/** The field's name with its colon; nothing for an item of a list. */
export function labelOf(pointer: string): string {
  const name = keysOf(pointer).at(-1) ?? "spec";
  return /^\d+$/.test(name) ? "" : `${name}: `;
}

/** `memory: 4`; for an item of a list only the item. */
export const assignment = (pointer: string, value: unknown): string => labelOf(pointer) + flow(value);

const LONGEST = 60;
const clip = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text);

/** The given value, for a message, with a space before it; empty if there is nothing to show. */
export function given(pointer: string, value: unknown): string {
  if (value === undefined || value === null || isSecret(pointer, value)) return "";
  // JSON, so that a text differs from a number.
  if (typeof value === "string") return ` ${JSON.stringify(clip(value))}`;
  return ` ${clip(flow(value))}`;
}

/** The same for the `actual` of a denial, which holds no objects. */
export function shown(pointer: string, value: unknown): string | number | null {
  if (isSecret(pointer, value)) return null;
  if (typeof value === "number") return value;
  if (typeof value === "string") return clip(value);
  return typeof value === "boolean" ? String(value) : null;
}

/** The end of a correction that names the fields which it omits: `; id has no counterpart`. */
export const leftOutBy = (correction: string): string =>
  /; [^;]{1,200} ha(?:s|ve) no counterpart/.exec(correction)?.[0] ?? "";

/** `name, cpu and memory` */
export const inProse = (names: readonly string[]): string =>
  [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(" and ");

/** `; name, cpu and memory are examples` after a correction; nothing if none of its values is one. */
export function areExamples(names: readonly string[]): string {
  if (names.length === 0) return "";
  return `; ${inProse(names)} ${names.length === 1 ? "is an example" : "are examples"}`;
}

/** A problem at a place of the spec, and its correction. */
export interface Explanation {
  /** Continues a sentence that begins with the field and its value. */
  detail: string;
  correction: string;
  /** Only if nothing else can be meant. */
  patch?: PatchOperation[];
  /** The change that an uncertain correction describes: only to see what would be wrong after it. */
  likely?: PatchOperation[];
  /** The fields next to it that the likely change writes with examples in them. */
  examples?: readonly string[];
  /** The map below the top that the correction writes, where its parts belong into one. */
  within?: { field: string; value: unknown };
  /** The entries that the correction puts before those of a list. */
  inFront?: { pointer: string; entries: readonly unknown[] };
}

/** The beginning of the keyword of a key that a map does not take; the key follows. */
export const WRONG_KEY = "key ";

/** A problem at a place of a value. */
export interface Found extends Explanation {
  pointer: string;
  value: unknown;
  keyword: string;
  /** The fields that an unknown one stands for. */
  meant?: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = table({
  integer: "is not a whole number",
  number: "is not a number",
  string: "is not a text",
  boolean: "is not true or false",
  array: "is not a list",
  object: "is not a map",
});

const nameOfType = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value);

const isOfType = (type: string, value: unknown): boolean =>
  type === "integer" ? Number.isInteger(value) : nameOfType(value) === type;

/** The values of a list as YAML has them: null is one of some settings. */
const listed = (values: readonly (string | null)[]): string => values.map(textOf).join(", ");

/** Why the schema refuses the value, if nothing better is known. */
function problemOf(node: SchemaNode, value: unknown, isRead: boolean): string {
  const type = typeOf(node);
  if (type !== undefined && !isOfType(type, value)) return TYPES[type] ?? whyRefused(node, value);
  if (node.enum !== undefined) return `is not one of ${listed(node.enum)}`;
  const { length } = textOf(value);
  return !isRead && typeof value === "string" && length > (node.maxLength ?? Infinity)
    ? `has ${String(length)} characters, more than ${String(node.maxLength)}`
    : whyRefused(node, value);
}

/** The values that the field takes, in words. */
const inWords = (pointer: string, node: SchemaNode): string =>
  node.enum === undefined
    ? // The title of the whole schema names the kind.
      pointer === ""
      ? "its fields"
      : (node.title ?? "another value")
    : `one of ${listed(node.enum)}`;

/** The schema's own example. A list of all values needs none, and no example stands for a value that is the user's. */
const exampleOf = ({ "x-own": own, enum: all, examples }: SchemaNode): unknown =>
  own === undefined && all === undefined ? examples?.[0] : undefined;

/** The values that the field takes: `GiB as a whole number, e.g. memory: 4`. `meant`: the value that is probably meant. */
export function wanted(pointer: string, node: SchemaNode, meant: unknown = exampleOf(node)): string {
  const { "x-own": own = "" } = node;
  if (meant !== undefined) return `${inWords(pointer, node)}, e.g. ${assignment(pointer, meant)}`;
  return inWords(pointer, node) + (own === "" ? "" : `, as ${labelOf(pointer)}${own}`);
}

/** The value for a field that has none: an example can set a limit. */
export function wantedFirst(pointer: string, node: SchemaNode): string {
  const { "x-unset": unset, examples: [example] = [], "x-instead": { null: blank } = {} } = node;
  if (blank !== undefined) return blank;
  if (unset === undefined) return `write ${wanted(pointer, node)}`;
  // An example that changes nothing either would only repeat the value.
  const other = flow(unset) === flow(example) ? (node.title ?? "another value") : wanted(pointer, node);
  return `write ${assignment(pointer, unset)}, which changes nothing, or ${other}`;
}

function correctionOf(pointer: string, node: SchemaNode, { advice, value, sure }: Reading): string {
  if (advice !== undefined) return advice.replaceAll(FIELD, labelOf(pointer));
  if (value === undefined) return `write ${wanted(pointer, node)}`;
  if (sure !== true) return `write ${wanted(pointer, node, value)}`;
  return node["x-unit"] === undefined || node.title === undefined
    ? `write ${assignment(pointer, value)}`
    : `write ${node.title}: ${assignment(pointer, value)}`;
}

/** The change to a value that the schema accepts: a patch only where nothing else can be meant. */
function patchFor(pointer: string, node: SchemaNode, reading: Reading): Pick<Explanation, "patch" | "likely"> {
  const { value, sure } = reading;
  if (value === undefined || !accepts(node, value)) return {};
  const change: PatchOperation[] = [{ op: "replace", path: `/spec${pointer}`, value }];
  return sure === true ? { patch: change } : { likely: change };
}

/** `- cpu: 2` and `- memory: 4`, where each field of a map got a dash. */
const isListOfMaps = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one));

/** The first of the values that stand in one text, `1,2`; undefined for other texts. */
function firstOfSeveral(node: SchemaNode, value: unknown): string | undefined {
  if (typeof value !== "string" || typeOf(node) !== "string" || node["x-together"] !== undefined) return undefined;
  // `1,5` is a number.
  if (node["x-reads"] === "price") return undefined;
  const parts = value.split(",").map((part) => part.trim());
  return parts.length > 1 && parts.every((part) => accepts(node, part)) ? parts[0] : undefined;
}

const OR_REMOVE = ", or remove the line";

/** Why a field's value is wrong, and what to write. */
export function explainValue(pointer: string, node: SchemaNode, value: unknown, isRequired = false): Explanation {
  const or = isRequired ? "" : OR_REMOVE;
  if (value === null) return { detail: "has no value", correction: wantedFirst(pointer, node) + or };
  if (pointer === "" && isListOfMaps(value) && typeOf(node) === "object")
    return { detail: "is a list, and not a map", correction: 'write its fields without "- " before them' };
  const one = firstOfSeveral(node, value);
  if (one !== undefined)
    return {
      detail: "has several values, and takes one",
      correction: `write one of them, e.g. ${assignment(pointer, one)}`,
    };
  return explainRead(pointer, node, value, isBlankField(pointer, value) ? or : "");
}

/** A field without a value, and not an item of a list. */
const isBlankField = (pointer: string, value: unknown): boolean =>
  typeof value === "string" && value.trim() === "" && labelOf(pointer) !== "";

/** Why a map of names in another notation has other names or values than the given ones; nothing where it has them. */
function ofNames({ additionalProperties: inner }: SchemaNode, given: unknown, meant: unknown): string {
  if (typeof inner !== "object" || inner.title === undefined || !isObject(meant)) return "";
  const text = JSON.stringify(given);
  const isSame = Object.entries(meant).every((entry) => entry.every((one) => text.includes(textOf(one))));
  return isSame ? "" : `; names and values have only ${inner.title}`;
}

/** The same of a value that is read alone. `or`: the end of the correction. */
function explainRead(pointer: string, node: SchemaNode, value: unknown, or: string): Explanation {
  const reading = readValue(node, value) ?? {};
  return {
    detail: reading.problem ?? problemOf(node, value, reading.value !== undefined),
    correction: correctionOf(pointer, node, reading) + ofNames(node, value, reading.value) + or,
    ...patchFor(pointer, node, reading),
  };
}
