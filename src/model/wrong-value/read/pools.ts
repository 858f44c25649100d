import { isObject, keysOf, pointerTo } from "../../json.ts";
import { type SchemaNode, valueAt } from "../schema-node.ts";
import { isControlPlane, itemsOf } from "./read-foreign.ts";
import { byAlias, readWithin, sameName } from "./read-within.ts";

/** A machine type with the fields that say its size: `{cpu: 2, memory: 8}`. */
export interface TypeSize {
  type: string;
  /** The name that the object has for it, if there is no such type: m5.large for m5a.large. */
  unknown?: string;
  fields: Readonly<Record<string, number>>;
}

/** The size of the machine type that a value names; null for none. */
export type SizeOf = (value: unknown) => TypeSize | null;

/** Knows no types. */
export const noSizes: SizeOf = () => null;

/** A value of another tool in which the items that name a type have its size as well. */
interface Sized {
  value: unknown;
  sizes: readonly TypeSize[];
}

type Fields = Record<string, unknown>;

/** Each type that there is not is compared with all that there are. */
const MOST = 10;

/** The list whose items' types say their sizes; undefined if the schema has none. */
export const listIn = ({ properties = {} }: SchemaNode): [name: string, node: SchemaNode] | undefined =>
  Object.entries(properties).find(([, { items }]) => items?.["x-by-type"] !== undefined);

const itemOf = (schema: SchemaNode): SchemaNode | undefined => listIn(schema)?.[1].items;

/** Deeper, no tool has the type of a machine. */
const DEEPEST = 4;

/** A value in which another type stands for one that there is not. */
function withType(value: unknown, size: TypeSize, depth = 0): unknown {
  if (value === size.unknown) return size.type;
  if (depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((one) => withType(one, size, depth + 1));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withType(one, size, depth + 1)]))
    : value;
}

/** The size of the type that a map names, where it says none itself. */
function sizeIn(item: SchemaNode, map: Fields, sizeOf: SizeOf): TypeSize | null {
  const own = readWithin(item, map, {}, { isOwn: true });
  return (item["x-by-type"] ?? []).some((name) => own.has(name)) ? null : sizeOf(map);
}

/** The maps of a list, of a map by names, or one map alone. */
function partsOf(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.filter(isObject).filter((one) => !isControlPlane(one));
  if (!isObject(value)) return [];
  const inner = Object.values(value).filter(isObject);
  return inner.length > 0 && inner.length === Object.keys(value).length ? inner : [value];
}

/** A value of another tool with the sizes of the types that its first items name: those of `managedNodeGroups` are types alone. */
export function withSizes(schema: SchemaNode, value: unknown, sizeOf: SizeOf): Sized {
  const item = itemOf(schema);
  if (item === undefined) return { value, sizes: [] };
  const found = new Map(
    partsOf(value)
      .slice(0, MOST)
      .map((part) => [part, sizeIn(item, part, sizeOf)] as const),
  );
  const sized = (one: unknown): unknown => {
    const size = isObject(one) ? (found.get(one) ?? null) : null;
    return size === null ? one : { ...Object(withType(one, size)), ...size.fields };
  };
  const sizes = [...found.values()].filter((one) => one !== null);
  return { value: replaced(value, sized), sizes: [...new Map(sizes.map((one) => [one.type, one])).values()] };
}

/** The fields of a map with the size of the type that stands among them, where it has no list of items. */
export function withOwnSize(schema: SchemaNode, map: Fields, sizeOf: SizeOf): { map: Fields; size: TypeSize | null } {
  const [list = "", { items: item } = {}] = listIn(schema) ?? [];
  const texts = Object.entries(map).filter(
    ([name, one]) => typeof one === "string" && schema.properties?.[name] === undefined,
  );
  const isAlone = item !== undefined && map[list] === undefined;
  const size = isAlone ? sizeIn(item, Object.fromEntries(texts), sizeOf) : null;
  if (size === null) return { map, size };
  const typed = Object.entries(map).map(([name, one]) => [name, withType(one, size)] as const);
  return { map: { ...Object.fromEntries(typed), ...size.fields }, size };
}

function replaced(value: unknown, sized: (one: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(sized);
  const own = sized(value);
  if (own !== value || !isObject(value)) return own;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, sized(one)]));
}

/** `; cpu and memory as m5a.large has, because there is no m5.large` after a correction that writes the sizes of types. */
export function asTypesHave(schema: SchemaNode, sizes: readonly TypeSize[], correction: string): string {
  const names = itemOf(schema)?.["x-by-type"] ?? [];
  if (sizes.length === 0 || !names.every((name) => correction.includes(`${name}: `))) return "";
  const unknown = sizes.flatMap((one) => one.unknown ?? []);
  const why = unknown.length === 0 ? "" : `, because the catalog has no ${unknown.join(" and no ")}`;
  const types = sizes.map(({ type }) => type);
  return `; ${names.join(" and ")} as ${types.join(" and ")} ${types.length === 1 ? "has" : "have"}${why}`;
}

/** The fields of a node that stand directly below spec, in the order of a pool's; those without an example are optional. */
const OF_POOL: readonly (readonly [name: string, example?: number])[] = [
  ["count"],
  ["cpu", 4],
  ["memory", 16],
  ["gpu"],
  ...["min", "max", "diskGiB", "labels", "taints"].map((name) => [name] as const),
];

const RANGE = ["min", "max"];

/** Whether a map has the limits of a pool, as `autoscaling: {min: 1, max: 5}`, and nothing else of one. */
function isRange(item: SchemaNode, value: Fields): boolean {
  const found = [...readWithin(item, value, {}, { isOwn: true }).keys()];
  return found.some((name) => RANGE.includes(name)) && found.every((name) => [...RANGE, "count"].includes(name));
}

/** The fields of a pool that stand directly below spec. */
export function loosePoolFields(node: SchemaNode, siblings: Fields): Map<string, unknown> {
  const item = itemOf(node) ?? {};
  const isOfPool = (name: string, value: unknown): boolean =>
    node.properties?.[name] === undefined &&
    (!isObject(value) || isRange(item, value) || (sameName(item, name) ?? byAlias(item, name)) !== undefined);
  const others = Object.entries(siblings).filter(([name, value]) => isOfPool(name, value));
  return readWithin(item, Object.fromEntries(others), {}, { isOwn: true });
}

/** One pool with the sizes that stand directly below spec: `{name: main, count: 3, cpu: 2, memory: 8}`. */
export function poolOf(node: SchemaNode, siblings: Fields): Fields {
  const found = loosePoolFields(node, siblings);
  const sizes = OF_POOL.flatMap(([name, example]) => {
    const value = found.get(name) ?? example;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { name: "main", ...Object.fromEntries(sizes) };
}

/** Of a field that says no numbers, such as `autoscaling: true`. */
const RANGE_EXAMPLE = { min: 1, max: 3 };

/** The object's pools, or one, each with the limits that a field below spec sets: `{name: main, min: 2, max: 7, cpu: 2, memory: 8}`. */
export function scaledPools(node: SchemaNode, siblings: Fields): Fields[] {
  const { nodePools: pools, ...others } = siblings;
  const found = loosePoolFields(node, others);
  const limits = Object.fromEntries(Object.entries(RANGE_EXAMPLE).map(([name, one]) => [name, found.get(name) ?? one]));
  const given = Array.isArray(pools) ? pools.filter(isObject) : [];
  const all = given.length > 0 ? given : [poolOf(node, others)];
  return all.map(({ count: _count, ...pool }) => ({ ...pool, ...limits }));
}

/** The entries of the fields of an object that stand for one of its lists, by another name of it. */
export function entriesBeside(schema: SchemaNode, spec: unknown, [list, ...deeper]: readonly string[]): Fields[] {
  if (list === undefined || deeper.length > 0 || !isObject(spec)) return [];
  return Object.entries(spec).flatMap(([name, value]) => {
    const isOther = schema.properties?.[name] === undefined && typeof value === "object";
    return isOther && (sameName(schema, name) ?? byAlias(schema, name, value)) === list ? itemsOf(value) : [];
  });
}

/** The list that holds a map, after the entries of other fields for it: a default pool is one of the pools. Null for a map of its own. */
export function listAround(schema: SchemaNode, spec: unknown, parent: string): unknown[] | null {
  const above = keysOf(parent).slice(0, -1);
  const list = valueAt(spec, pointerTo(above));
  return Array.isArray(list) ? [...entriesBeside(schema, spec, above), ...(list as unknown[])] : null;
}
