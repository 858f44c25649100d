import { isObject } from "../json.ts";
import { DEEPEST, readWithin } from "./read-within.ts";
import { readValue } from "./read-value.ts";
import { accepts, type SchemaNode, typeOf } from "./schema-node.ts";

/** A value in the words of another tool, as a field takes it. */
export interface Foreign {
  value: unknown;
  /** The fields that it lacks, and whose values are examples. */
  lacking: readonly string[];
  /** The items of a list in the tool's words, with the names that they have here; omitted for others. */
  items?: readonly Record<string, unknown>[];
}

/** The values in a map or list, at any depth. */
function leavesOf(value: unknown, depth = 0): unknown[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, depth + 1));
  return isObject(value) ? Object.values(value).flatMap((one) => leavesOf(one, depth + 1)) : [value];
}

/** The only value of a map or list: `{cidrBlocks: [10.1.0.0/16]}` is a network. */
function readOnly(node: SchemaNode, value: unknown): Foreign | null {
  const [only, ...more] = leavesOf(value);
  const read = more.length === 0 ? readValue(node, only)?.value : undefined;
  return read === undefined ? null : { value: read, lacking: [] };
}

/** The fields that a map must have and that another tool's has not: without meaning where the schema has a value for none, and examples else. */
function completed(node: SchemaNode, own: ReadonlyMap<string, unknown>): Foreign | null {
  const { properties = {}, required = [], "x-unset": unset } = node;
  const free = isObject(unset) ? unset : {};
  const missing = required.filter((name) => !own.has(name));
  const all = new Map([
    ...own,
    ...missing.map((name) => [name, free[name] ?? properties[name]?.examples?.[0]] as const),
  ]);
  const fields = Object.keys(properties).flatMap((name) => (all.has(name) ? [[name, all.get(name)] as const] : []));
  const value = Object.fromEntries(fields);
  const lacking = missing.filter((name) => free[name] === undefined);
  return accepts(node, value) ? { value, lacking } : null;
}

/** The value of a field of another tool's map, if it lacks nothing. */
export const complete = (node: SchemaNode, value: unknown): unknown => {
  const found = readForeign(node, value);
  return found?.lacking.length === 0 ? found.value : undefined;
};

/** A map with fields that are understood. An item with a name is one of its list, whatever else it has. */
function readMap(node: SchemaNode, value: unknown): Foreign | null {
  const own = readWithin(node, value, {}, { isOwn: true, read: complete });
  const isNamed = isObject(value) && typeof value["name"] === "string";
  return own.size > 0 || isNamed ? completed(node, own) : null;
}

/** A map of maps by their names, or one map alone, as a list. */
function itemsOf(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  const inner = Object.entries(value);
  const isNamed = inner.length > 0 && inner.every(([, one]) => isObject(one));
  return isNamed ? inner.map(([name, one]) => ({ name, ...(one as object) })) : [value];
}

/** Names that several items have, with numbers: `data1` and `data2`. */
function numbered(items: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const names = items.map(({ name }) => name);
  return items.map((item, index) => {
    const { name } = item;
    const isShared = typeof name === "string" && names.indexOf(name) !== names.lastIndexOf(name);
    return isShared ? { ...item, name: name + String(index + 1) } : item;
  });
}

function readList({ items: node = {} }: SchemaNode, value: unknown): Foreign | null {
  const given = itemsOf(value);
  const read = given.map((one) => readMap(node, one));
  if (given.length === 0 || read.includes(null)) return null;
  const meant = numbered(read.flatMap((one) => (isObject(one?.value) ? [one.value] : [])));
  const lacking = [...new Set(read.flatMap((one) => one?.lacking ?? []))];
  return { value: meant, lacking, items: given.map((one, index) => ({ ...one, name: meant[index]?.["name"] })) };
}

/** How a map or list of another tool can be understood in a field; null if it cannot. */
export function readForeign(node: SchemaNode, value: unknown): Foreign | null {
  const own = readValue(node, value)?.value;
  if (own !== undefined) return { value: own, lacking: [] };
  if (typeof value !== "object" || value === null) return null;
  const type = typeOf(node);
  if (type === "array") return node.items?.properties === undefined ? null : readList(node, value);
  if (type !== "object") return readOnly(node, value);
  return node.properties === undefined ? null : readMap(node, value);
}
