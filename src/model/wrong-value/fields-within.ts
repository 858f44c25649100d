import { isObject } from "../json.ts";
import { besideItems } from "./elsewhere.ts";
import { complete, type Foreign, readForeign } from "./read/read-foreign.ts";
import { areLimited, isLimited, opensPorts } from "./read/firewall-rules.ts";
import { byAlias, folded, GENERAL, readWithin, sameName } from "./read/read-within.ts";
import { readValue } from "./read/read-value.ts";
import { childOf, type SchemaNode, typeOf } from "./schema-node.ts";
import { below, type UnknownField } from "./other-map.ts";

/** The fields of ours that a map of another tool holds. */
interface Within {
  found: [name: string, value: unknown][];
  /** The fields next to a list that is among them: `poolInstanceTypes: {main: m5.large}`. */
  beside: (readonly [name: string, value: unknown])[];
  /** The fields that hold examples. */
  lacking: string[];
}

type Given = Pick<UnknownField, "value" | "siblings">;

/** The place and value of a field that belongs into a map of ours; null for a field of its own, and for one that is not understood. */
function lowerPlace(
  node: SchemaNode,
  name: string,
  { value, siblings }: Given,
): { keys: readonly string[]; meant: unknown } | null {
  if (name.length <= GENERAL || (sameName(node, name) ?? byAlias(node, name, value)) !== undefined) return null;
  const place = below(node, { parent: "", name, value, siblings });
  if (place === null || place.path.includes("[]")) return null;
  const meant = complete(place.node, value);
  return meant === undefined ? null : { keys: place.path.split("."), meant };
}

/** The fields with those of the map that belong into a map of ours: `{disk: 50, diskType: ssd}` of a machine is one osDisk. */
function withLower(node: SchemaNode, found: Map<string, unknown>, { value, siblings }: Given): Map<string, unknown> {
  for (const [name, one] of isObject(value) ? Object.entries(value) : []) {
    const { keys: [top = "", ...keys] = [], meant } = lowerPlace(node, name, { value: one, siblings }) ?? {};
    const held = found.get(top) ?? {};
    if (meant !== undefined && isObject(held) && siblings[top] === undefined)
      found.set(top, withPath(held, keys, meant));
  }
  return found;
}

/** A map with a value at a path in it; its other fields stay. */
function withPath(map: Record<string, unknown>, [key = "", ...more]: readonly string[], value: unknown): unknown {
  const inner = map[key];
  if (more.length === 0) return inner === undefined ? { ...map, [key]: value } : map;
  return { ...map, [key]: withPath(isObject(inner) ? inner : {}, more, value) };
}

/** The fields in a map of another tool, and of those that must be there also what lacks a part. Ports without the limits around them are omitted. */
export function fieldsWithin(node: SchemaNode, field: Pick<UnknownField, "value" | "siblings">): Within {
  const lists = new Map<unknown, Foreign>();
  const read = (child: SchemaNode, value: unknown): unknown => {
    const foreign = readForeign(child, value);
    const isNeeded =
      (node.required ?? []).some((name) => node.properties?.[name] === child) && child.items !== undefined;
    if (foreign === null || (foreign.lacking.length > 0 && !isNeeded)) return undefined;
    lists.set(foreign.value, foreign);
    return foreign.value;
  };
  const isSafe = ([name, value]: [string, unknown]): boolean =>
    !opensPorts(childOf(node, name) ?? {}) ||
    lists.get(value)?.items?.every((one) => isLimited(one)) === true ||
    !areLimited(field.value, (key) => (sameName(node, key) ?? byAlias(node, key)) === name);
  const direct = [...readWithin(node, field.value, field.siblings, { read })].filter(isSafe);
  const found = [...withLower(node, new Map(direct), field)];
  const all = found.map(([name, value]) => [childOf(node, name) ?? {}, lists.get(value)] as const);
  return {
    found,
    beside: all.flatMap(([child, list]) => besideItems(child.items ?? {}, list?.items ?? [])),
    lacking: [...new Set(all.flatMap(([, list]) => list?.lacking ?? []))],
  };
}

/** The fields with values next to one without which it has no effect, where the object does not have them. */
export function lackingNext(node: SchemaNode, child: SchemaNode, { siblings }: UnknownField): [string, string][] {
  const names = new Set(Object.keys(siblings).map((name) => sameName(node, name) ?? byAlias(node, name)));
  return Object.entries(child["x-with"] ?? {}).filter(([name]) => !names.has(name));
}

/** A word of another tool: almost all machine types have a digit. */
const isWord = (name: string, value: unknown): boolean =>
  folded(name) === "type" && typeof value === "string" && !/\d/.test(value);

/** Whether a map stands where one value is, and is not understood there. */
function isOther(child: SchemaNode, value: unknown): boolean {
  const isScalar = !["object", "array"].includes(typeOf(child) ?? "") && child["x-structure"] === undefined;
  const holdsMaps = [value].flat().some((one) => isObject(one) && Object.keys(one).length > 0);
  return isScalar && holdsMaps && readForeign(child, value) === null && readValue(child, value)?.advice === undefined;
}

/** Whether a value says that its field is not the one that the name stands for: `type: batch`, and `strategy: {matrix: …}`. */
export const isMeaningless = (child: SchemaNode, name: string, value: unknown): boolean =>
  isWord(name, value) || isOther(child, value);
