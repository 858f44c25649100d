import { isObject, textOf } from "../json.ts";
import { flow } from "./explain-value.ts";
import type { UnknownField } from "./other-map.ts";
import { folded, readWithin } from "./read-within.ts";
import type { SchemaNode } from "./schema-node.ts";

/** A part of the object in a schema's text; the example where it is none that can be written there. */
const part = (value: unknown, example: string): string =>
  typeof value === "string" && /^[\w.-]{1,60}$/.test(value) ? value : example;

type Fields = Readonly<Record<string, unknown>>;
type IsField = (name: string) => boolean;

/** The maps of the list that holds a field's map, or this map alone. */
const itemsOf = ({ list = [], siblings }: UnknownField): readonly Fields[] =>
  list.length > 0 ? list.filter(isObject) : [siblings];

/** The values of a field, by the names of the items that it may stand in: `a: m7i.xlarge, b: m7i.large`, and … for one that is not known. */
function byItem(field: UnknownField, isField: IsField): string {
  const typeOf = (item: Fields): string => {
    const found = Object.entries(item).find(([name]) => isField(name));
    return found === undefined ? "…" : part(found[1], "m7i.xlarge");
  };
  return itemsOf(field)
    .map((item) => `${part(item["name"], "main")}: ${typeOf(item)}`)
    .join(", ");
}

/** The different values of a field in all items: `eu-west-1a, eu-west-1b`. */
function ofItems(field: UnknownField, isField: IsField): string {
  const found = itemsOf(field).flatMap((item) => Object.entries(item).filter(([name]) => isField(name)));
  const values = found.flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]));
  return [...new Set(values.map((value) => flow(part(textOf(value), "eu-west-1a"))))].join(", ");
}

const RANGE = /^\s{0,4}(\d{1,5})\s{0,4}(?:-|\.\.|:|,|to)\s{0,4}(\d{1,5})\s{0,4}$/;

/** `1-5` nodes of a pool that is scaled; null for another text, and where the map has no such limits. */
function scaled({ properties = {} }: SchemaNode, { value }: UnknownField): string | null {
  const [, min, max] = RANGE.exec(typeof value === "string" ? value : "") ?? [];
  const hasLimits = properties["min"] !== undefined && properties["max"] !== undefined;
  return min === undefined || max === undefined || !hasLimits ? null : `write min: ${min} and max: ${max} in its place`;
}

const POOL = "<pool>";
/** The fields of a node that stand directly below spec, in the order of a pool's; those without an example are optional. */
const OF_POOL: readonly (readonly [name: string, example?: number])[] = [
  ["count"],
  ["cpu", 4],
  ["memory", 16],
  ["gpu"],
];

/** One pool with the sizes that stand next to a field: `{name: main, count: 3, cpu: 2, memory: 8}`. */
function poolOf({ siblings }: UnknownField): string {
  const sizes = OF_POOL.flatMap(([name, example]) => {
    const value = typeof siblings[name] === "number" ? siblings[name] : example;
    return value === undefined ? [] : [[name, value] as const];
  });
  return flow({ name: "main", ...Object.fromEntries(sizes) });
}

const SCALED = "<scaled pools>";
/** Of a field that says no numbers, such as `autoscaling: true`. */
const RANGE_EXAMPLE = { min: 1, max: 3 };

/** The object's pools, or one, each with the limits that a field below spec sets: `{name: main, min: 2, max: 7, cpu: 2, memory: 8}`. */
function scaledPools({ properties = {} }: SchemaNode, field: UnknownField): string {
  const { nodePools: pools, ...others } = field.siblings;
  const item = properties["nodePools"]?.items ?? {};
  const foreign = Object.entries(others).filter(([name]) => properties[name] === undefined);
  const found = readWithin(item, Object.fromEntries(foreign), {});
  const limits = Object.entries(RANGE_EXAMPLE).map(([name, example]) => [name, found.get(name) ?? example]);
  const given = Array.isArray(pools) ? pools.filter(isObject) : [];
  const all = given.length > 0 ? given : [{ name: "main", cpu: 4, memory: 16 }];
  return all.map(({ count: _count, ...pool }) => flow({ ...pool, ...Object.fromEntries(limits) })).join(", ");
}

const NAMED = "<name>: <value>";
const VALUES = "<values>";

/** `<text>` and `<map>` for any text and any map. */
const typeName = (value: unknown): string => (typeof value === "string" ? "<text>" : isObject(value) ? "<map>" : "");

/** The correction of a field that has a known meaning elsewhere, also of one value of it (`spot=false`): `<name>: <value>` and `<values>` are those of all items of the list, `<pool>` one with the sizes next to it, `<scaled pools>` those of the object with its limits, and `schedule=<text>` stands for any text, `spot=<map>` for any map. */
export function instead(node: SchemaNode, field: UnknownField): string | undefined {
  const told = Object.entries(node["x-elsewhere"] ?? {});
  const textFor = (name: string): string | undefined => told.find(([one]) => folded(one) === folded(name))?.[1];
  const ofType = textFor(`${field.name}=${typeName(field.value)}`);
  const text = textFor(`${field.name}=${textOf(field.value)}`) ?? ofType ?? textFor(field.name);
  if (text === undefined) return undefined;
  const isField: IsField = (name) => textFor(name) === text;
  if (text.includes(POOL)) return text.replace(POOL, poolOf(field));
  if (text.includes(SCALED)) return text.replace(SCALED, () => scaledPools(node, field));
  if (text.includes(NAMED)) return text.replace(NAMED, byItem(field, isField));
  if (text.includes(VALUES)) return text.replace(VALUES, ofItems(field, isField));
  return scaled(node, field) ?? text;
}
