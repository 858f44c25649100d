import { isObject, textOf } from "../json.ts";
import { assignment, flow } from "./explain-value.ts";
import type { UnknownField } from "./other-map.ts";
import { readValue } from "./read-value.ts";
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
function byItem({ properties = {} }: SchemaNode, field: UnknownField, isField: IsField): string {
  // The name that its own correction writes.
  const nameOf = ({ name }: Fields): unknown => readValue(properties["name"] ?? {}, name)?.value ?? name;
  const typeOf = (item: Fields): string => {
    const found = Object.entries(item).find(([name]) => isField(name));
    const [only] = Array.isArray(found?.[1]) ? (found[1] as unknown[]) : [found?.[1]];
    return found === undefined ? "…" : part(only, "m7i.xlarge");
  };
  return itemsOf(field)
    .map((item) => `${part(nameOf(item), "main")}: ${typeOf(item)}`)
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
function poolOf({ properties = {} }: SchemaNode, { siblings }: UnknownField): string {
  const found = readWithin(properties["nodePools"]?.items ?? {}, siblings, {});
  const sizes = OF_POOL.flatMap(([name, example]) => {
    const value = found.get(name) ?? example;
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

/** `<maxPrice>`: a field with the value that stands here, or that is within it. */
const ASSIGNED = /<([a-z]{1,30}[A-Z][A-Za-z]{0,30})>/;

/** A text with the fields that it names between angle brackets: `maxPrice: "0.05"`, and an example where the value is not known. */
function withFields(node: SchemaNode, text: string, { value }: UnknownField): string {
  return text.replaceAll(new RegExp(ASSIGNED, "g"), (_whole, name: string) => {
    const child = node.properties?.[name] ?? {};
    const found = isObject(value) ? readWithin(node, value, {}).get(name) : readValue(child, value)?.value;
    return found === undefined ? `e.g. ${assignment(`/${name}`, child.examples?.[0])}` : assignment(`/${name}`, found);
  });
}

const NAMED = "<name>: <value>";
const VALUES = "<values>";

/** A text with the values of all items of a list in it. */
const withItems = (node: SchemaNode, text: string, field: UnknownField, isField: IsField): string =>
  text.replace(NAMED, () => byItem(node, field, isField)).replace(VALUES, () => ofItems(field, isField));

/** `<text>` and `<map>` for any text and any map. */
const typeName = (value: unknown): string => (typeof value === "string" ? "<text>" : isObject(value) ? "<map>" : "");

/** The schema's text about a field that is none, by its name and its value or type. */
function textFor(node: SchemaNode, name: string, value?: unknown): string | undefined {
  const told = Object.entries(node["x-elsewhere"] ?? {});
  const find = (wanted: string): string | undefined => told.find(([one]) => folded(one) === folded(wanted))?.[1];
  return find(`${name}=${textOf(value)}`) ?? find(`${name}=${typeName(value)}`) ?? find(name);
}

/** The correction of a field that has a known meaning elsewhere, also of one value of it (`spot=false`): `<name>: <value>` and `<values>` are those of all items of the list, `<pool>` one with the sizes next to it, `<scaled pools>` those of the object with its limits, and `schedule=<text>` stands for any text, `spot=<map>` for any map. */
export function instead(node: SchemaNode, field: UnknownField): string | undefined {
  const text = textFor(node, field.name, field.value);
  if (text === undefined) return undefined;
  const isField: IsField = (name) => textFor(node, name) === text;
  if (text.includes(POOL)) return text.replace(POOL, poolOf(node, field));
  if (text.includes(SCALED)) return text.replace(SCALED, () => scaledPools(node, field));
  if (text.includes(NAMED) || text.includes(VALUES)) return withItems(node, text, field, isField);
  return scaled(node, field) ?? withFields(node, text, field);
}

/** The text about all fields of a map that has none of ours: `{networkPlugin: azure}`; undefined if they have several. */
export function aboutAll(node: SchemaNode, value: unknown): string | undefined {
  const texts = isObject(value) ? Object.entries(value).map(([name, one]) => textFor(node, name, one)) : [];
  return new Set(texts).size === 1 ? texts[0] : undefined;
}

/** The fields of a map and of those within it. */
const flattened = (item: Fields): Fields =>
  Object.fromEntries([...Object.values(item).filter(isObject), item].flatMap(Object.entries));

/** In a text, a field with the values of all items: `poolInstanceTypes: {<name>: <value>}`. */
const OF_ALL = /\w{1,40}: (?:\{<name>: <value>\}|\[<values>\])/;

/** The fields outside of a list that take values of its items: `poolInstanceTypes: {main: m5.large}` of pools with a type. */
export function besideItems(node: SchemaNode, items: readonly Fields[]): string[] {
  const list = items.map(flattened);
  const told = list.flatMap((siblings) =>
    Object.entries(siblings).flatMap(([name, value]) => {
      const text = textFor(node, name, value);
      const [all] = OF_ALL.exec(text ?? "") ?? [];
      const isField: IsField = (other) => textFor(node, other) === text;
      return all === undefined ? [] : [withItems(node, all, { parent: "", name, value, siblings, list }, isField)];
    }),
  );
  return [...new Set(told)];
}
