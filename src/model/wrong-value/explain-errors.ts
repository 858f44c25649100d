import type { ErrorObject } from "ajv";
import { isObject, keysOf, pointerKey, pointerTo } from "../json.ts";
import { explainUnknown, gluedField } from "./explain-unknown.ts";
import { assignment, explainValue, type Explanation, flow, wanted, wantedFirst } from "./explain-value.ts";
import { accepts, childOf, nodeAt, type SchemaNode, valueAt } from "./schema-node.ts";
import { readString } from "./read-scalar.ts";
import { readValue } from "./read-value.ts";

/** The detail of a required field that is not there. */
const MISSING = "is missing";

/** A problem at a place of a value. */
export interface Found extends Explanation {
  pointer: string;
  value: unknown;
  keyword: string;
  /** The fields that an unknown one stands for. */
  meant?: readonly string[];
}

function unknownField(schema: SchemaNode, spec: unknown, parent: string, name: string): Found {
  const holder = valueAt(spec, parent);
  const siblings = isObject(holder) ? holder : {};
  const list = valueAt(spec, pointerTo(keysOf(parent).slice(0, -1)));
  const field = { parent, name, value: siblings[name], siblings, ...(Array.isArray(list) ? { list } : {}) };
  const { meant, ...explained } = explainUnknown(schema, nodeAt(schema, parent), field);
  const pointer = `${parent}/${pointerKey(name)}`;
  const found: Found = { ...explained, pointer, value: siblings[name], keyword: "additionalProperties" };
  return { ...found, meant: meant.map((one) => `${parent}/${pointerKey(one)}`) };
}

const WRONG_KEY = "key ";

/** For an invalid key of a map, the pointer names only the map. */
function wrongKey(schema: SchemaNode, spec: unknown, pointer: string, key: string): Found {
  const node = nodeAt(schema, pointer);
  const name = { ...node.propertyNames, type: "string", "x-reads": "name" };
  const meant = readString(name, key)?.value;
  const holder = valueAt(spec, pointer);
  const written = isObject(holder) ? holder[key] : undefined;
  const read = readValue(childOf(node, key) ?? {}, written)?.value;
  const rule = "lower-case letters, digits, _ and -, beginning with a letter";
  const glued = gluedField(key, written);
  const field = typeof meant === "string" ? (read === undefined ? meant : assignment(`/${meant}`, read)) : rule;
  return {
    pointer,
    value: undefined,
    keyword: WRONG_KEY + pointerKey(key),
    detail: `has the key ${JSON.stringify(key.slice(0, 60))}, which is not valid`,
    correction: glued?.correction ?? `write ${field}`,
  };
}

/** The meaning of each item; the item itself if its meaning is unknown. */
const meantItems = ({ items = {} }: SchemaNode, values: readonly unknown[]): unknown[] =>
  values.map((value) => readValue(items, value)?.value ?? value);

/** The item that a list without equal items has twice, also in two spellings: `[EU, eu]`; undefined if there is none. */
function twiceIn(node: SchemaNode, values: readonly unknown[]): unknown {
  const meant = meantItems(node, values);
  return values.find((_value, index) => meant.indexOf(meant[index]) !== index);
}

/** `EU twice`, or `EU twice, as EU and europe`. */
function twiceText(node: SchemaNode, values: readonly unknown[]): string {
  const meant = meantItems(node, values);
  const again = meant.find((one, index) => meant.indexOf(one) !== index);
  const spelt = [...new Set(values.filter((_one, index) => meant[index] === again))];
  return spelt.length === 1 ? `${flow(spelt[0])} twice` : `${flow(again)} twice, as ${spelt.map(flow).join(" and ")}`;
}

function once(pointer: string, node: SchemaNode, values: readonly unknown[]): Explanation {
  const readings = values.map((one) => readValue(node.items ?? {}, one));
  const detail = `has ${twiceText(node, values)}`;
  // A list with an item that is not understood has another problem, which is reported apart.
  if (readings.some((one) => one?.value === undefined)) return { detail, correction: "write each item once" };
  const value = [...new Set(meantItems(node, values))];
  const found = { detail, correction: `write ${assignment(pointer, value)}` };
  return readings.every((one) => one?.sure === true)
    ? { ...found, patch: [{ op: "replace", path: `/spec${pointer}`, value }] }
    : found;
}

/** An item of such a list that is wrong alone is reported with the list: a patch of the item would leave it twice. */
function wrongList(schema: SchemaNode, spec: unknown, itemPointer: string): Found | null {
  const pointer = pointerTo(keysOf(itemPointer).slice(0, -1));
  const [values, node] = [valueAt(spec, pointer), nodeAt(schema, pointer)];
  if (!Array.isArray(values) || node.uniqueItems !== true || twiceIn(node, values) === undefined) return null;
  if (readValue(node.items ?? {}, valueAt(spec, itemPointer))?.value === undefined) return null;
  return { ...once(pointer, node, values), pointer, value: values, keyword: "uniqueItems" };
}

const isEmpty = (value: unknown): boolean => Object.keys(Object(value) as object).length === 0;

/** Errors about a list or map as a whole. */
function sizeProblem(
  { keyword, params }: ErrorObject,
  pointer: string,
  node: SchemaNode,
  value: unknown,
): Explanation | null {
  const limit = String((params as { limit?: number }).limit);
  switch (keyword) {
    case "maxItems":
    case "maxProperties":
      return { detail: `has more than ${limit} entries`, correction: `write at most ${limit}` };
    case "minItems":
    case "minProperties":
      return isEmpty(value)
        ? { detail: "is empty", correction: `write ${wanted(pointer, node)}` }
        : { detail: `has fewer than ${limit} entries`, correction: `write ${limit} or more` };
    case "uniqueItems":
      return Array.isArray(value) ? once(pointer, node, value) : null;
    default:
      return null;
  }
}

/** The names of the list's items in the object, where all have one. */
function namesIn(spec: unknown, pointer: string): string[] {
  const items = valueAt(spec, pointer);
  const names: unknown[] = Array.isArray(items) ? items.map((item) => valueAt(item, "/name")) : [];
  return names.filter((name) => typeof name === "string");
}

/** A value or a list in place of a map by names: `m7i.large` and `[m7i.large]` for `{system: m7i.large}`. */
function byNames(spec: unknown, node: SchemaNode, pointer: string): Explanation | null {
  const [value, list, inner] = [valueAt(spec, pointer), node["x-names"], node.additionalProperties];
  if (list === undefined || typeof inner !== "object" || isObject(value) || value === null) return null;
  const names = namesIn(spec, list);
  const given = Array.isArray(value) ? (value as unknown[]) : [value];
  const isSure = names.length > 0 && (given.length === 1 || given.length === names.length);
  if (!isSure || !given.every((one) => accepts(inner, one))) return null;
  const meant = Object.fromEntries(names.map((name, index) => [name, given.length === 1 ? given[0] : given[index]]));
  return { detail: "is not a map", correction: `write ${assignment(pointer, meant)}` };
}

function isRequired(schema: SchemaNode, pointer: string): boolean {
  const [name = "", ...above] = keysOf(pointer).toReversed();
  const parent = pointerTo(above.toReversed());
  return nodeAt(schema, parent).required?.includes(name) === true;
}

const missing = (schema: SchemaNode, pointer: string, keyword: string): Found => {
  const correction = wantedFirst(pointer, nodeAt(schema, pointer));
  return { pointer, value: undefined, keyword, detail: MISSING, correction };
};

/** The schema of an item with only the examples that its list does not have: a list without equal items refuses the others. */
function withFreeExample(node: SchemaNode, spec: unknown, pointer: string): SchemaNode {
  const holder = valueAt(spec, pointerTo(keysOf(pointer).slice(0, -1)));
  const free = Array.isArray(holder) ? node.examples?.filter((one) => !holder.includes(one)) : undefined;
  return free === undefined || free.length === 0 ? node : { ...node, examples: free };
}

function explain(schema: SchemaNode, spec: unknown, error: ErrorObject): Found {
  const { keyword, instancePath, params, propertyName } = error;
  const { missingProperty, additionalProperty } = params as Record<string, unknown>;
  if (typeof additionalProperty === "string") return unknownField(schema, spec, instancePath, additionalProperty);
  if (propertyName !== undefined) return wrongKey(schema, spec, instancePath, propertyName);
  if (typeof missingProperty === "string") return missing(schema, `${instancePath}/${missingProperty}`, keyword);
  const list = wrongList(schema, spec, instancePath);
  if (list !== null) return list;
  const value = valueAt(spec, instancePath);
  const node = withFreeExample(nodeAt(schema, instancePath), spec, instancePath);
  if (value === undefined) return missing(schema, instancePath, keyword);
  const explained =
    byNames(spec, node, instancePath) ??
    sizeProblem(error, instancePath, node, value) ??
    explainValue(instancePath, node, value, isRequired(schema, instancePath));
  return { ...explained, pointer: instancePath, value, keyword };
}

/** A misspelt field explains why the right one is missing, and an invalid key is reported with its value. */
const isExplained = ({ detail, pointer }: Found, all: readonly Found[]): boolean =>
  (detail === MISSING && all.some(({ meant = [] }) => meant.includes(pointer))) ||
  all.some(
    (other) =>
      other.keyword.startsWith(WRONG_KEY) && pointer === `${other.pointer}/${other.keyword.slice(WRONG_KEY.length)}`,
  );

/** Errors of values that are present come before errors of missing values. */
const inOrder = (all: readonly Found[]): Found[] => [
  ...all.filter(({ detail }) => detail !== MISSING),
  ...all.filter(({ detail }) => detail === MISSING),
];

/** Several errors can be about one value. */
const firstOfEach = (all: readonly Found[]): Found[] =>
  all.filter(
    ({ pointer, detail }, index) =>
      all.findIndex((other) => other.pointer === pointer && other.detail === detail) === index,
  );

/** Explains all errors of a validator, in the order in which they are best read. */
export function explainErrors(schema: SchemaNode, value: unknown, errors: readonly ErrorObject[]): Found[] {
  // An error about a key is covered by the error about its content.
  const all = errors.filter(({ keyword }) => keyword !== "propertyNames").map((error) => explain(schema, value, error));
  return inOrder(firstOfEach(all).filter((one) => !isExplained(one, all)));
}
