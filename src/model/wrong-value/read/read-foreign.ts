import { isObject, textOf } from "../../json.ts";
import { systemInImage } from "../../places/images.ts";
import { DEEPEST, readWithin } from "./read-within.ts";
import { priceText } from "../texts/read-price.ts";
import { readValue } from "./read-value.ts";
import { accepts, type SchemaNode, typeOf } from "../schema-node.ts";
import { isLimited, isOpening, opensPorts, rulesIn } from "./firewall-rules.ts";

/** A value in the words of another tool, as a field takes it. */
export interface Foreign {
  value: unknown;
  /** The fields that it lacks, and whose values are examples. */
  lacking: readonly string[];
  /** The items of a list in the tool's words, with the names that they have here; omitted for others. */
  items?: readonly Record<string, unknown>[];
}

/** The values in a map or list, at any depth. */
export function leavesOf(value: unknown, depth = 0): unknown[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, depth + 1));
  return isObject(value) ? Object.values(value).flatMap((one) => leavesOf(one, depth + 1)) : [value];
}

/** The value that several ones of a map say together: the publisher, the offer and the version of an image, the amount and the span of a price. */
function readTogether(node: SchemaNode, value: unknown, leaves: readonly unknown[]): unknown {
  if (node["x-reads"] === "price") return readValue(node, priceText(value))?.value;
  return node["x-reads"] === "system" ? (systemInImage(leaves.map(textOf).join(" ")) ?? undefined) : undefined;
}

/** The only value of a map or list: `{cidrBlocks: [10.1.0.0/16]}` is a network. */
function readOnly(node: SchemaNode, value: unknown): Foreign | null {
  const leaves = leavesOf(value);
  const together = readTogether(node, value, leaves);
  if (together !== undefined) return { value: together, lacking: [] };
  // Next to a key stand its name and its user, and next to a number words.
  const isClear =
    typeOf(node) === "integer" ||
    node["x-reads"] === "network" ||
    (node["x-reads"] === "ssh-key" && Array.isArray(value));
  const meant = isClear ? leaves.filter((one) => readValue(node, one)?.value !== undefined) : leaves;
  const [only, ...more] = meant;
  const read = more.length === 0 ? readValue(node, only)?.value : undefined;
  return read === undefined ? null : { value: read, lacking: [] };
}

/** The end of a range that is its beginning as well, as Terraform writes one port. */
const isSameEnd = ({ properties = {} }: SchemaNode, own: ReadonlyMap<string, unknown>, name: string): boolean =>
  Object.entries(properties).some(([first, { "x-range": range = [] }]) => {
    return first !== name && range.includes(first) && range.includes(name) && own.get(first) === own.get(name);
  });

/**
 * The fields that a map must have and that another tool's has not: without meaning where the schema has a value for none, and examples else.
 * Null for one whose example would open a port.
 */
function completed(node: SchemaNode, found: ReadonlyMap<string, unknown>): Foreign | null {
  const { properties = {}, required = [], "x-unset": unset } = node;
  const own = new Map([...found].filter(([name]) => !isSameEnd(node, found, name)));
  const free = isObject(unset) ? unset : {};
  const missing = required.filter((name) => !own.has(name));
  if (missing.some((name) => isOpening(properties[name] ?? {}))) return null;
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
  for (const [name, inner] of Object.entries(node.properties ?? {})) {
    const below = inner.properties === undefined || own.has(name) ? null : readMap(inner, value);
    if (below?.lacking.length === 0) own.set(name, below.value);
  }
  const isNamed = isObject(value) && typeof value["name"] === "string";
  return own.size > 0 || isNamed ? completed(node, own) : null;
}

/** A group of machines of the control plane, as kOps lists it next to those of nodes: no pool has them. */
export const isControlPlane = ({ role }: Record<string, unknown>): boolean =>
  typeof role === "string" && /^(?:master|control-?plane|api-?server|etcd|bastion)$/i.test(role);

/** A map of maps by their names, or one map alone, as a list. */
export function itemsOf(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.filter(isObject).filter((one) => !isControlPlane(one));
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

function readList(list: SchemaNode, value: unknown): Foreign | null {
  const { items: node = {} } = list;
  const isOfPorts = opensPorts(list);
  const given = isOfPorts ? rulesIn(value) : itemsOf(value);
  const read = given.map((one) => readMap(node, one));
  if (given.length === 0 || read.includes(null)) return null;
  const isWider = (one: Foreign | null, index: number): boolean =>
    isLimited(given[index] ?? {}) && isObject(one?.value) && one.value["cidrs"] === undefined;
  if (isOfPorts && read.some(isWider)) return null;
  const meant = numbered(read.flatMap((one) => (isObject(one?.value) ? [one.value] : [])));
  const lacking = [...new Set(read.flatMap((one) => one?.lacking ?? []))];
  return { value: meant, lacking, items: given.map((one, index) => ({ ...one, name: meant[index]?.["name"] })) };
}

/** `[{id: sg-1}, {id: sg-2}]` for a list of ids. */
function readIds({ items = {} }: SchemaNode, value: unknown): Foreign | null {
  const given = Array.isArray(value) && value.every(isObject) ? value : [];
  const read = given.map((one) => readOnly(items, one)?.value);
  return read.length === 0 || read.includes(undefined) ? null : { value: read, lacking: [] };
}

/** How a map or list of another tool can be understood in a field; null if it cannot. */
export function readForeign(node: SchemaNode, value: unknown): Foreign | null {
  const own = readValue(node, value)?.value;
  if (own !== undefined) return { value: own, lacking: [] };
  return typeof value !== "object" || value === null || node["x-structure"] !== undefined
    ? null
    : readByType(node, value);
}

function readByType(node: SchemaNode, value: object): Foreign | null {
  const type = typeOf(node);
  if (type === "array") return node.items?.properties === undefined ? readIds(node, value) : readList(node, value);
  if (type !== "object") return readOnly(node, value);
  return node.properties === undefined ? null : readMap(node, value);
}
