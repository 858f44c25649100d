import type { PatchOperation } from "../decision.ts";
import { isObject, pointerKey, textOf } from "../json.ts";
import { nodesWithin, ofGpu, POOL, poolText, scaled, toldPools, type ToldPools, WHY } from "./pools/pool-texts.ts";
import { assignment, flow } from "./explain-value.ts";
import type { UnknownField } from "./other-map.ts";
import { readSwitch } from "./read/read-switch.ts";
import { readValue } from "./read/read-value.ts";
import { folded, readWithin } from "./read/read-within.ts";
import type { SchemaNode } from "./schema-node.ts";
import { scaledPools } from "./read/pools.ts";

/** A part of the object in a schema's text; the example where it is none that can be written there. */
const part = (value: unknown, example: string): string =>
  typeof value === "string" && /^[\w.-]{1,60}$/.test(value) ? value : example;

type Fields = Readonly<Record<string, unknown>>;
type IsField = (name: string) => boolean;

/** The maps of the list that holds a field's map, or this map alone. */
const itemsOf = ({ list = [], siblings }: UnknownField): readonly Fields[] =>
  list.length > 0 ? list.filter(isObject) : [siblings];

/** The name of an item without one. */
const ONLY = "main";

/** The values of a field, by the names of the items that it may stand in: `{a: m7i.xlarge, b: m7i.large}`. */
function byItem({ properties = {} }: SchemaNode, field: UnknownField, isField: IsField): Fields {
  // The name that its own correction writes.
  const nameOf = ({ name }: Fields): unknown => readValue(properties["name"] ?? {}, name)?.value ?? name;
  const typeOf = (item: Fields): string => part(typeIn(item, isField), "m7i.xlarge");
  return Object.fromEntries(itemsOf(field).map((item) => [part(nameOf(item), ONLY), typeOf(item)]));
}

/** The different values of a field in all items: `[eu-west-1a, eu-west-1b]`. */
function ofItems(field: UnknownField, isField: IsField): string[] {
  const found = itemsOf(field).flatMap((item) => Object.entries(item).filter(([name]) => isField(name)));
  const values = found.flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]));
  return [...new Set(values.map((value) => part(textOf(value), "eu-west-1a")))];
}

const SCALED = "<scaled pools>";

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

const BOOT_DISK = "<boot disk>";

/** The boot disk that an entry of a list of disks describes: `osDisk: {sizeGiB: 50, type: premium}`. */
function bootDisk(node: SchemaNode, siblings: Fields): Fields {
  const found = readWithin(node, siblings, {});
  const own = ["sizeGiB", "type"].flatMap((name) => {
    const value = found.get(name) ?? siblings[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return own.length === 0 ? { sizeGiB: 64 } : Object.fromEntries(own);
}

/** The changes that put an entry of a list of disks where the boot disk stands. */
function bootChanges(node: SchemaNode, { parent, siblings }: UnknownField): PatchOperation[] {
  return [
    { op: "remove", path: `/spec${parent}` },
    { op: "add", path: "/spec/osDisk", value: bootDisk(node, siblings) },
  ];
}

/** `0 2 * * *`, `@daily` */
const CRON = /^(?:@[a-z]{4,10}|(?:[\d*,/-]{1,20} ){4}\S{1,20})$/;

/** Whether a schedule is one that repeats, and not the times of one run. */
const repeats = (value: unknown): boolean =>
  typeof value === "string" ||
  Array.isArray(value) ||
  (isObject(value) && Object.values(value).some((one) => CRON.test(textOf(one)) || (isObject(one) && repeats(one))));

/** A model of GPUs in a field of its own. */
const GPU = "write <gpu>";
const NODES_WITHIN = "write <nodes within>";

const NAMED = "{<name>: <value>}";
const VALUES = "[<values>]";

/** The type of an item that a field of it names; undefined for none. */
const typeIn = (item: Fields, isField: IsField): unknown => {
  const [, found] = Object.entries(item).find(([name]) => isField(name)) ?? [];
  return Array.isArray(found) ? (found as unknown[])[0] : found;
};

/** The pools that the text about a field writes; null for a text about other things. */
export function poolsTold(node: SchemaNode, field: UnknownField): ToldPools | null {
  const text = textFor(node, field.name, field.value) ?? "";
  return text.includes(POOL) && !WHY.test(text) ? toldPools(node, field) : null;
}

/** The changes outside of a list that a text about a field of its items asks for: the types of all items by their names. */
export function outside(node: SchemaNode, field: UnknownField): PatchOperation[] {
  const text = textFor(node, field.name, field.value);
  if (text?.includes(BOOT_DISK) === true) return bootChanges(node, field);
  const [, target] = /(\w{1,40}): \{<name>: <value>\}/.exec(text ?? "") ?? [];
  const isField: IsField = (name) => textFor(node, name) === text;
  if (target === undefined || lackingIn(field, isField).length > 0) return [];
  return itemsOf(field).flatMap((item): PatchOperation[] => {
    const value = typeIn(item, isField);
    // The only pool gets the name that its own correction writes.
    const given = item["name"] ?? (itemsOf(field).length === 1 ? ONLY : undefined);
    const name = readValue(node.properties?.["name"] ?? {}, given)?.value;
    return typeof value === "string" && typeof name === "string"
      ? [{ op: "add", path: `/spec/${target}/${pointerKey(name)}`, value }]
      : [];
  });
}

/** A text with the values of all items of a list in it. */
const withItems = (node: SchemaNode, text: string, field: UnknownField, isField: IsField): string =>
  text.replace(NAMED, () => flow(byItem(node, field, isField))).replace(VALUES, () => flow(ofItems(field, isField)));

/** The items of a list that do not name the type, which others name: `b`, or `pool 2`. */
const lackingIn = (field: UnknownField, isField: IsField): string[] =>
  itemsOf(field).flatMap((item, index) =>
    typeIn(item, isField) === undefined ? [part(item["name"], `pool ${String(index + 1)}`)] : [],
  );

/** The correction of the type of one item, where the types of all stand outside of the list. */
function typesOutside(node: SchemaNode, text: string, field: UnknownField, isField: IsField): string {
  const lacking = lackingIn(field, isField);
  if (lacking.length > 0)
    return `remove it: Landfall chooses the types by cpu and memory, and poolInstanceTypes names those of all pools or of none; ${lacking.join(", ")} has none`;
  const one = Array.isArray(field.value) && field.value.length > 1 ? "; a pool has one type" : "";
  return withItems(node, text, field, isField) + one;
}

/** `<text>` and `<map>` for any text and any map. */
const typeName = (value: unknown): string => (typeof value === "string" ? "<text>" : isObject(value) ? "<map>" : "");

const TEXTS = new WeakMap<object, ReadonlyMap<string, string>>();

/** A schema's texts by their names without notation: each item of a list asks for them. */
function foldedTexts(texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const found =
    TEXTS.get(texts) ??
    new Map(
      Object.entries(texts)
        .toReversed()
        .map(([name, text]) => [folded(name), text] as const),
    );
  TEXTS.set(texts, found);
  return found;
}

/** The schema's text about a field that is none, by its name and its value or type. */
function textFor(node: SchemaNode, name: string, value?: unknown): string | undefined {
  const told = foldedTexts(node["x-elsewhere"] ?? {});
  const find = (wanted: string): string | undefined => told.get(folded(wanted));
  const repeated = value !== undefined && repeats(value) ? find(`${name}=<repeated>`) : undefined;
  // `"no"` in quotes is false.
  const isOn = readSwitch({}, value)?.value;
  const bySwitch = typeof isOn === "boolean" ? find(`${name}=${String(isOn)}`) : undefined;
  return repeated ?? find(`${name}=${textOf(value)}`) ?? find(`${name}=${typeName(value)}`) ?? bySwitch ?? find(name);
}

/** The correction of a field that has a known meaning elsewhere, also of one value of it (`spot=false`): `<name>: <value>` and `<values>` are those of all items of the list, `<pool>` one with the sizes next to it, `<scaled pools>` those of the object with its limits, `domain=<text>` stands for any text, `spot=<map>` for any map, and `schedule=<repeated>` for one of cron or of several times. */
export function instead(node: SchemaNode, field: UnknownField): string | undefined {
  const text = textFor(node, field.name, field.value);
  if (text === undefined) return undefined;
  const isField: IsField = (name) => textFor(node, name) === text;
  if (text === GPU) return ofGpu(node, field);
  if (text === NODES_WITHIN) return nodesWithin(node, field);
  if (text.includes(BOOT_DISK)) return text.replace(BOOT_DISK, assignment("/osDisk", bootDisk(node, field.siblings)));
  if (text.includes(POOL)) return poolText(node, text, field);
  if (text.includes(SCALED)) return text.replace(SCALED, () => scaledPools(node, field.siblings).map(flow).join(", "));
  if (text.includes(NAMED)) return typesOutside(node, text, field, isField);
  if (text.includes(VALUES)) return withItems(node, text, field, isField);
  return withoutItems(node, text, field);
}

/** A text that takes nothing from the items of a list. */
const withoutItems = (node: SchemaNode, text: string, field: UnknownField): string =>
  sizesSaid(text, field) ?? scaled(node, field) ?? withFields(node, text, field);

const SIZE = ["cpu", "memory"];

/** The text about sizes that stand next to the field as well; null for another text. */
function sizesSaid(text: string, { siblings }: UnknownField): string | null {
  if (!text.startsWith("write cpu and memory directly below spec")) return null;
  const more = text.endsWith("a Pod") ? "; userData can start containers" : "";
  return SIZE.every((name) => siblings[name] !== undefined)
    ? `remove it: cpu and memory directly below spec say the size${more}`
    : null;
}

/** The text about all fields of a map that has none of ours: `{networkPlugin: azure}`; undefined if they have several. */
export function aboutAll(node: SchemaNode, value: unknown): string | undefined {
  const texts = isObject(value) ? Object.entries(value).map(([name, one]) => textFor(node, name, one)) : [];
  return new Set(texts).size === 1 ? texts[0] : undefined;
}

/** The fields of a map and of those within it. */
export const flattened = (item: Fields): Fields =>
  Object.fromEntries([...Object.values(item).filter(isObject), item].flatMap(Object.entries));

/** In a text, a field with the values of all items: `poolInstanceTypes: {<name>: <value>}`. */
const OF_ALL = /(\w{1,40}): (\{<name>: <value>\}|\[<values>\])/;

/** A field with its value. */
type Assigned = readonly [name: string, value: unknown];

/** Whether an item says something that stands outside of its list, for all items. */
export const takesOfAll = (node: SchemaNode, item: Fields): boolean =>
  Object.entries(flattened(item)).some(([name, value]) => OF_ALL.test(textFor(node, name, value) ?? ""));

/** The fields next to a list that take values of its items: `poolInstanceTypes: {main: m5.large}` of pools with a type. */
export function besideItems(node: SchemaNode, items: readonly Fields[]): Assigned[] {
  const list = items.map(flattened);
  const found = list.flatMap((siblings) =>
    Object.entries(siblings).flatMap(([name, value]): Assigned[] => {
      const text = textFor(node, name, value);
      const [, target, form] = OF_ALL.exec(text ?? "") ?? [];
      const isField: IsField = (other) => textFor(node, other) === text;
      const field: UnknownField = { parent: "", name, value, siblings, list };
      if (target === undefined || (form === NAMED && lackingIn(field, isField).length > 0)) return [];
      return [[target, form === NAMED ? byItem(node, field, isField) : ofItems(field, isField)]];
    }),
  );
  return [...new Map(found)];
}
