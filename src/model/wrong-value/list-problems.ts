import { isObject, keysOf, pointerTo } from "../json.ts";
import { assignment, type Explanation, explainValue, flow, type Found } from "./explain-value.ts";
import { readValue } from "./read-value.ts";
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

export function once(pointer: string, node: SchemaNode, values: readonly unknown[]): Explanation {
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
export function wrongList(schema: SchemaNode, spec: unknown, itemPointer: string): Found | null {
  const pointer = pointerTo(keysOf(itemPointer).slice(0, -1));
  const [values, node] = [valueAt(spec, pointer), nodeAt(schema, pointer)];
  if (!Array.isArray(values) || node.uniqueItems !== true || twiceIn(node, values) === undefined) return null;
  if (readValue(node.items ?? {}, valueAt(spec, itemPointer))?.value === undefined) return null;
  return { ...once(pointer, node, values), pointer, value: values, keyword: "uniqueItems" };
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

/** The schema of an item with only the examples that its list does not have: a list without equal items refuses the others. */
export function withFreeExample(node: SchemaNode, spec: unknown, pointer: string): SchemaNode {
  const holder = valueAt(spec, pointerTo(keysOf(pointer).slice(0, -1)));
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
