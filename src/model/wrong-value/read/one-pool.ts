import { isObject } from "../../json.ts";
import { byAlias, readWithin, sameName } from "./read-within.ts";
import type { SchemaNode } from "../schema-node.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a node that stand directly below spec, in the order of a pool's; those without an example are optional. */
const OF_POOL: readonly (readonly [name: string, example?: number])[] = [
  ["count"],
  ["cpu", 4],
  ["memory", 16],
  ["gpu"],
  ...["min", "max", "diskGiB", "labels", "taints"].map((name) => [name] as const),
];

const RANGE = ["min", "max"];

const itemOf = ({ properties = {} }: SchemaNode): SchemaNode => properties["nodePools"]?.items ?? {};

/** Whether a map has the limits of a pool, as `autoscaling: {min: 1, max: 5}`, and nothing else of one. */
function isRange(item: SchemaNode, value: Fields): boolean {
  const found = [...readWithin(item, value, {}, { isOwn: true }).keys()];
  return found.some((name) => RANGE.includes(name)) && found.every((name) => [...RANGE, "count"].includes(name));
}

/** The fields of a pool that stand directly below spec. */
function foundIn(node: SchemaNode, siblings: Fields): Map<string, unknown> {
  const item = itemOf(node);
  const isOfPool = (name: string, value: unknown): boolean =>
    node.properties?.[name] === undefined &&
    (!isObject(value) || isRange(item, value) || (sameName(item, name) ?? byAlias(item, name)) !== undefined);
  const others = Object.entries(siblings).filter(([name, value]) => isOfPool(name, value));
  return readWithin(item, Object.fromEntries(others), {}, { isOwn: true });
}

/** One pool with the sizes that stand directly below spec: `{name: main, count: 3, cpu: 2, memory: 8}`. */
export function poolOf(node: SchemaNode, siblings: Fields): Fields {
  const found = foundIn(node, siblings);
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
  const found = foundIn(node, others);
  const limits = Object.fromEntries(Object.entries(RANGE_EXAMPLE).map(([name, one]) => [name, found.get(name) ?? one]));
  const given = Array.isArray(pools) ? pools.filter(isObject) : [];
  const all = given.length > 0 ? given : [poolOf(node, others)];
  return all.map(({ count: _count, ...pool }) => ({ ...pool, ...limits }));
}
