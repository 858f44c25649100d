import { isObject, keysOf } from "../../json.ts";
import { areExamples, assignment, type Explanation, flow } from "../explain-value.ts";
import type { UnknownField } from "../other-map.ts";
import { entriesBeside, listIn, loosePoolFields, poolOf } from "../read/pools.ts";
import { byAlias, readWithin, sameName } from "../read/read-within.ts";
import { accepts, FIELD, type SchemaNode, valueAt } from "../schema-node.ts";
import { readGpu } from "../texts/read-gpu.ts";

const RANGE = /^\s{0,4}(\d{1,5})\s{0,4}(?:-|\.\.|:|,|to)\s{0,4}(\d{1,5})\s{0,4}$/;

/** `1-5` nodes of a pool that is scaled; null for another text, and where the map has no such limits. */
export function scaled({ properties = {} }: SchemaNode, { value }: UnknownField): string | null {
  const [, min, max] = RANGE.exec(typeof value === "string" ? value : "") ?? [];
  const hasLimits = properties["min"] !== undefined && properties["max"] !== undefined;
  return min === undefined || max === undefined || !hasLimits ? null : `write min: ${min} and max: ${max} in its place`;
}

const SIZES = ["cpu", "memory"];

/** The most nodes of a pool whose sizes together are within limits, as Karpenter has them. */
export function nodesWithin(node: SchemaNode, { value, siblings }: UnknownField): string {
  const [limits, own] = [readWithin(node, value, {}, { isOwn: true }), readWithin(node, siblings, {}, { isOwn: true })];
  const missing = SIZES.filter((name) => siblings[name] === undefined);
  const sizeOf = (name: string): number =>
    Number((missing.includes(name) ? undefined : own.get(name)) ?? node.properties?.[name]?.examples?.[0]);
  const counts = SIZES.flatMap((name) =>
    limits.has(name) ? [Math.floor(Number(limits.get(name)) / sizeOf(name))] : [],
  );
  const isFixed = siblings["count"] !== undefined;
  if (counts.length === 0 || isFixed)
    return `remove it: ${isFixed ? "count" : "max"} of a pool is the most nodes that it gets`;
  const max = `max: ${String(Math.max(1, ...[Math.min(...counts)]))}`;
  const sizes = missing.map((name) => `${name}: ${String(sizeOf(name))}`);
  return `write ${[max, ...sizes].join(" and ")} in its place: so many nodes of this size are within the limits${areExamples(missing)}`;
}

/** The correction of a model of GPUs that stands in a field of its own: their number is in gpu. */
export function ofGpu(node: SchemaNode, { value, siblings }: UnknownField): string {
  const { gpu: child = {} } = node.properties ?? {};
  const { advice } = readGpu(child, value) ?? {};
  const told =
    advice ?? `write ${assignment("/gpu", 1)}; a model comes with the type of the pool, which poolInstanceTypes names`;
  const isSet = Object.keys(siblings).some((name) => sameName(node, name) === "gpu" || byAlias(node, name) === "gpu");
  return isSet ? `remove it: ${told.replace(/^[^;]{1,60}; /, "")}` : told.replace(FIELD, "gpu: ");
}

/** Why a field says nothing of the pools. */
export const WHY = /\[<pool>\]: (.{1,200})$/;

export const POOL = "[<pool>]";

/** The pools that a field below spec stands for: with it, those of the object that lack it, or the only one. */
export interface ToldPools {
  list: string;
  pools: readonly Record<string, unknown>[];
  /** The fields of the only pool that are examples. */
  lacking: readonly string[];
  /** Whether the object has the pools. */
  areSet: boolean;
}

const SCALED = ["min", "max"];

/** Whether a pool lacks a field: one that is scaled has no count. */
const lacks = (pool: Record<string, unknown>, name: string): boolean =>
  pool[name] === undefined && !(name === "count" && SCALED.some((one) => pool[one] !== undefined));

/** Whether a value of another tool lists pools, or has them by their names: one alone takes what stands next to it. */
const isSeveral = (value: unknown): boolean =>
  Array.isArray(value) || (isObject(value) && Object.values(value).every(isObject));

/** The pools for the fields of a pool that stand directly below spec. */
export function toldPools(node: SchemaNode, { siblings }: UnknownField): ToldPools {
  const [list = ""] = listIn(node) ?? [];
  const { [list]: present, ...others } = siblings;
  const named = Object.entries(others).filter(([, value]) => isSeveral(value));
  const pools = Array.isArray(present)
    ? (present as unknown[]).filter(isObject)
    : entriesBeside(node, Object.fromEntries(named), [list]);
  const found = loosePoolFields(node, others);
  if (pools.length === 0) {
    const pool = poolOf(node, others);
    const lacking = ["name", "cpu", "memory"].filter((name) => !found.has(name));
    return { list, pools: [pool], lacking, areSet: false };
  }
  const withFound = pools.map((pool) => ({
    ...pool,
    ...Object.fromEntries([...found].filter(([name]) => lacks(pool, name))),
  }));
  return { list, pools: withFound, lacking: [], areSet: true };
}

/** The schema's text about a field of a pool that stands directly below spec: nothing of the pools that are there is lost. */
export function poolText(node: SchemaNode, text: string, field: UnknownField): string {
  const { list, pools, lacking, areSet } = toldPools(node, field);
  const [, why] = WHY.exec(text) ?? [];
  if (!areSet) return text.replace(POOL, () => flow(pools)) + areExamples(lacking);
  if (why !== undefined) return `remove it: ${why}`;
  if (JSON.stringify(pools) === JSON.stringify(field.siblings[list]))
    return `remove it: the pools of ${list} have their own`;
  if (accepts(node.properties?.[list] ?? {}, pools)) return text.replace(POOL, () => flow(pools));
  return `write it in each pool of ${list} that lacks it`;
}

/** The names of the list's items in the object, where all have one. */
function namesIn(spec: unknown, pointer: string): string[] {
  const items = valueAt(spec, pointer);
  const names: unknown[] = Array.isArray(items) ? items.map((item) => valueAt(item, "/name")) : [];
  return names.filter((name) => typeof name === "string");
}

/** A value or a list in place of a map by names: `m7i.large` and `[m7i.large]` for `{system: m7i.large}`. */
export function byNames(spec: unknown, node: SchemaNode, pointer: string): Explanation | null {
  const [value, list, inner] = [valueAt(spec, pointer), node["x-names"], node.additionalProperties];
  if (list === undefined || typeof inner !== "object" || isObject(value) || value === null) return null;
  const names = namesIn(spec, list);
  const given = Array.isArray(value) ? (value as unknown[]) : [value];
  const isSure = names.length > 0 && (given.length === 1 || given.length === names.length);
  if (!isSure || !given.every((one) => accepts(inner, one))) return null;
  const meant = Object.fromEntries(names.map((name, index) => [name, given.length === 1 ? given[0] : given[index]]));
  return { detail: "is not a map", correction: `write ${assignment(pointer, meant)}` };
}

/** The list whose items have the names of a map's keys, as `poolInstanceTypes`, and that takes this value for each; null for any other field. */
function listOfNames({ "x-names": pointer, additionalProperties: inner }: SchemaNode, value: unknown): string | null {
  if (pointer === undefined || typeof inner !== "object") return null;
  return accepts(inner, value) ? keysOf(pointer).join() : null;
}

/** The items of a list as written next to a field, or one of what stands there: an object without pools needs one, too. */
const itemsOf = (node: SchemaNode, list: string, { siblings }: UnknownField): unknown =>
  siblings[list] ?? [poolOf(node, siblings)];

/** One value for a map by the names of things: the only type of a cluster is that of all its pools. Null where it is not that. */
export function forNames(node: SchemaNode, meant: string, field: UnknownField): string | null {
  const { parent, value, siblings } = field;
  const list = listOfNames(node.properties?.[meant] ?? {}, value);
  if (list === null || parent !== "" || siblings[meant] !== undefined) return null;
  const items = itemsOf(node, list, field);
  const names = namesIn(items, "");
  if (names.length === 0 || (Array.isArray(items) && names.length < items.length)) return null;
  const written = assignment(`/${meant}`, Object.fromEntries(names.map((name) => [name, value])));
  return siblings[list] === undefined ? `write ${assignment(`/${list}`, items)} and ${written}` : `write ${written}`;
}
