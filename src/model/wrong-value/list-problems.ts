import type { ErrorObject } from "ajv";
import { isObject, keysOf, pointerTo, textOf } from "../json.ts";
import { byAlias, sameName } from "./read/read-within.ts";
import { assignment, type Explanation, explainValue, flow, type Found, wanted } from "./explain-value.ts";
import { readValue } from "./read/read-value.ts";
import { accepts, nodeAt, type SchemaNode, valueAt } from "./schema-node.ts";

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

/** `[100, 200]` for items that need a name as well: `[{name: data1, sizeGiB: 100}, {name: data2, sizeGiB: 200}]`. Null for others. */
function bareItems(schema: SchemaNode, spec: unknown, itemPointer: string): Found | null {
  const pointer = pointerTo(keysOf(itemPointer).slice(0, -1));
  const [values, { items = {} }] = [valueAt(spec, pointer), nodeAt(schema, pointer)];
  const isNamed = items["x-bare"] !== undefined && items.required?.includes("name") === true;
  // One alone is reported as an item.
  if (!Array.isArray(values) || values.length < 2 || !isNamed || values.some((one) => typeof one === "object"))
    return null;
  const read = values.map((one) => readValue(items, one)?.value);
  if (!read.every(isObject)) return null;
  const names = read.map(({ name }) => textOf(name));
  const isShared = new Set(names).size < names.length;
  const meant = read.map((one, index) => ({
    ...one,
    name: (names[index] ?? "") + (isShared ? String(index + 1) : ""),
  }));
  const detail = "is a list of values, and not of maps";
  return { pointer, value: values, keyword: "type", detail, correction: `write ${assignment(pointer, meant)}` };
}

/** A list of areas in which one is excluded: to remove that one alone would allow it. Null for others. */
function excludingList(schema: SchemaNode, spec: unknown, itemPointer: string): Found | null {
  const pointer = pointerTo(keysOf(itemPointer).slice(0, -1));
  const [value, node] = [valueAt(spec, pointer), nodeAt(schema, pointer)];
  if (!Array.isArray(value) || readValue(node, value)?.problem === undefined) return null;
  return node.items?.["x-reads"] === "area"
    ? { ...explainValue(pointer, node, value), pointer, value, keyword: "type" }
    : null;
}

/** Whether a field of the entries of a map by names, perhaps by another name of it, stands in the map itself. */
const fieldOfEntry = (entry: SchemaNode, key: string): string | undefined =>
  sameName(entry, key) ?? byAlias(entry, key);

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an entry that stand in the map of entries itself, by the entry's names of them. */
function looseFields(entry: SchemaNode, holder: Fields): Fields {
  const found = Object.entries(holder).flatMap(([name, one]) => {
    const field = isObject(one) ? undefined : fieldOfEntry(entry, name);
    const meant = readValue(entry.properties?.[field ?? ""] ?? {}, one)?.value;
    return field === undefined || meant === undefined ? [] : [[field, meant] as const];
  });
  return Object.fromEntries(found);
}

/** Fields with those that an entry must have besides, at their least. */
function completed({ required = [], properties = {} }: SchemaNode, own: Fields): Fields {
  const lacking = required.filter((name) => own[name] === undefined);
  const least = (name: string): unknown => properties[name]?.minimum ?? properties[name]?.examples?.[0];
  return { ...own, ...Object.fromEntries(lacking.map((name) => [name, least(name)])) };
}

/** The schema of the entries of a map by names; undefined for other maps. */
const entryOf = ({ additionalProperties: entry, properties }: SchemaNode): SchemaNode | undefined =>
  typeof entry === "object" && entry.properties !== undefined && properties === undefined ? entry : undefined;

/** Entries of a map by names without their name: `{latency: 0.5}` of weights. Null for others. */
function unnamedEntry(schema: SchemaNode, spec: unknown, entryPointer: string): Found | null {
  const [key = "", ...above] = keysOf(entryPointer).toReversed();
  const pointer = pointerTo(above.toReversed());
  const [holder, node] = [valueAt(spec, pointer), nodeAt(schema, pointer)];
  const entry = entryOf(node);
  if (entry === undefined || !isObject(holder) || isObject(holder[key])) return null;
  const own = looseFields(entry, holder);
  if (fieldOfEntry(entry, key) === undefined || Object.keys(own).length === 0) return null;
  const named = Object.keys(holder).filter((name) => isObject(holder[name]));
  const names = [...Object.keys(Object(node.examples?.[0]) as object), "main"];
  const name = names.find((one) => !named.includes(one)) ?? "own";
  const meant = completed(entry, own);
  // The entries that are there stay.
  const example = named.length === 0 ? assignment(pointer, { [name]: meant }) : assignment(`/${name}`, meant);
  const detail = `has ${Object.keys(own).join(", ")} without the name that it is for`;
  return { pointer, value: undefined, keyword: "type", detail, correction: `write ${example}, with your own name` };
}

/** A wrong item whose meaning the list has already: `::/0` next to `0.0.0.0/0`. Null for others. */
function toldBefore(schema: SchemaNode, spec: unknown, pointer: string): Found | null {
  const values = valueAt(spec, pointerTo(keysOf(pointer).slice(0, -1)));
  const [value, node] = [valueAt(spec, pointer), nodeAt(schema, pointer)];
  if (!Array.isArray(values) || typeof value !== "string") return null;
  const reading = readValue(node, value);
  if (reading?.value === value || !values.includes(reading?.value)) return null;
  const detail = reading?.problem ?? "is another name of an entry";
  return { pointer, value, keyword: "pattern", detail, correction: `remove it: the list has ${flow(reading?.value)}` };
}

/** A wrong part that is reported with the list or map around it, or next to another; null for one that is reported alone. */
export const wrongAround = (schema: SchemaNode, spec: unknown, pointer: string): Found | null =>
  excludingList(schema, spec, pointer) ??
  wrongList(schema, spec, pointer) ??
  toldBefore(schema, spec, pointer) ??
  bareItems(schema, spec, pointer) ??
  unnamedEntry(schema, spec, pointer);

/** The schema of a map with a name, with the name that stands in its place in its example: `[main, gpu]` of pools. Null for others. */
function named(node: SchemaNode, value: unknown): SchemaNode | null {
  const [example] = node.examples ?? [];
  const child = node.properties?.["name"];
  const meant = typeof value === "string" && child !== undefined ? readValue(child, value)?.value : undefined;
  if (node.required?.includes("name") !== true || meant === undefined || !isObject(example)) return null;
  return { ...node, examples: [{ ...example, name: meant }] };
}

/** The schema of an item with only the examples that its list does not have: a list without equal items refuses the others. */
export function withFreeExample(node: SchemaNode, spec: unknown, pointer: string): SchemaNode {
  const holder = valueAt(spec, pointerTo(keysOf(pointer).slice(0, -1)));
  const own = named(node, valueAt(spec, pointer));
  if (own !== null) return own;
  const free = Array.isArray(holder) ? node.examples?.filter((one) => !holder.includes(one)) : undefined;
  return free === undefined || free.length === 0 ? node : { ...node, examples: free };
}

/** The pointer to the list that holds an item; null for what stands in no list. */
function listOf(spec: unknown, pointer: string): string | null {
  const above = pointerTo(keysOf(pointer).slice(0, -1));
  return pointer !== "" && Array.isArray(valueAt(spec, above)) ? above : null;
}

/**
 * The items next to a wrong one that the validator takes and that are wrong as well: `UK` has the form of an area and is none. Told together,
 * or the next answer would be about them.
 */
export function wrongBeside(schema: SchemaNode, spec: unknown, all: readonly Found[]): Found[] {
  const lists = new Set(all.map(({ pointer }) => listOf(spec, pointer)));
  return [...lists].flatMap((pointer) => {
    if (pointer === null) return [];
    const { items = {} } = nodeAt(schema, pointer);
    const values = valueAt(spec, pointer) as readonly unknown[];
    return values.flatMap((value, index): Found[] => {
      const at = `${pointer}/${String(index)}`;
      const isTold = all.some(
        (one) => one.pointer === pointer || one.pointer === at || one.pointer.startsWith(`${at}/`),
      );
      if (typeof value !== "string" || isTold || accepts(items, value)) return [];
      return [{ ...explainValue(at, items, value), pointer: at, value, keyword: "pattern" }];
    });
  });
}

const isEmpty = (value: unknown): boolean => Object.keys(Object(value) as object).length === 0;

/** The problem of a list or map as a whole; null for other errors. */
export function sizeProblem(
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
