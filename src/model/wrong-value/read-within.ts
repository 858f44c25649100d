import { isObject } from "../json.ts";
import { readValue } from "./read-value.ts";
import type { SchemaNode } from "./schema-node.ts";

/** `node_count` and `NodeCount` are `nodeCount`: the words of other tools, in their notation. */
export const folded = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

/** The field of a map that has this name, but for its notation. */
export const sameName = ({ properties = {} }: SchemaNode, name: string): string | undefined =>
  Object.keys(properties).find((field) => folded(field) === folded(name));

/** The field of a map that has this name among its other names; of several, the first that takes the value. */
export function byAlias({ properties = {} }: SchemaNode, name: string, value?: unknown): string | undefined {
  const all = Object.entries(properties).filter(([, { "x-aliases": names = [] }]) =>
    names.some((one) => folded(one) === folded(name)),
  );
  const takes = all.find(([, node]) => all.length > 1 && readValue(node, value)?.value !== undefined);
  return (takes ?? all[0])?.[0];
}

/** Words so short that they mean something else in each tool: `type`, `size`, `end`. */
const GENERAL = 4;
const CLEAR: readonly string[] = ["cpus", "mem", "ram"];

/** The search for the fields of a map in a map of another tool. `isOwn`: that map is known to stand for this one, so that short words are clear. */
interface Search {
  node: SchemaNode;
  isOwn: boolean;
  depth: number;
  read: Read;
}

/** The value of a field in the words of another tool; undefined if it is not understood. */
export type Read = (node: SchemaNode, value: unknown) => unknown;

function fieldFor({ node, isOwn }: Search, name: string, value: unknown): string | undefined {
  const same = sameName(node, name);
  if (same !== undefined) return same === "global" ? undefined : same;
  const isClear = isOwn || name.length > GENERAL || CLEAR.includes(name.toLowerCase());
  return isClear ? byAlias(node, name, value) : undefined;
}

type Found = [field: string, value: unknown];

/** Deeper, no tool has them. */
export const DEEPEST = 5;

/** `{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}` of node affinity, as one field. */
const pairsOf = (map: Record<string, unknown>): [string, unknown][] =>
  typeof map["key"] === "string" && (map["values"] ?? map["value"]) !== undefined
    ? [[map["key"], map["values"] ?? map["value"]]]
    : Object.entries(map);

function foundIn(search: Search, value: unknown): Found[] {
  const { node, depth, read } = search;
  if (depth > DEEPEST) return [];
  const deeper = { ...search, depth: depth + 1 };
  if (Array.isArray(value)) return value.flatMap((one) => foundIn(deeper, one));
  if (!isObject(value)) return [];
  return pairsOf(value).flatMap(([name, one]): Found[] => {
    const field = fieldFor(search, name, one);
    const meant = field === undefined ? undefined : read(node.properties?.[field] ?? {}, one);
    return field === undefined || meant === undefined ? foundIn(deeper, one) : [[field, meant]];
  });
}

/** Fields of a map that contradict others which are there as well: a count of nodes next to its limits. */
export function contradicts({ properties = {} }: SchemaNode, field: string, all: ReadonlySet<string>): boolean {
  const range = properties[field]?.["x-range"] ?? [];
  return range.length > 0 && range.every((one) => all.has(one));
}

/** How fields are found in a map of another tool. */
interface Options {
  isOwn?: boolean;
  read?: Read;
}

/**
 * The fields of a map that stand one or more levels too deep, in a map that another tool has and this one has not: `{minSize: 1, maxSize: 3}` of
 * `autoscaling` are min and max. Those that the map has already are omitted.
 */
export function readWithin(
  node: SchemaNode,
  value: unknown,
  siblings: Readonly<Record<string, unknown>>,
  { isOwn = false, read = (child, one) => readValue(child, one)?.value }: Options = {},
): Map<string, unknown> {
  const found = new Map(foundIn({ node, isOwn, depth: 0, read }, value).toReversed());
  const names = new Set([...found.keys(), ...Object.keys(siblings)]);
  return new Map(
    [...found].toReversed().filter(([field]) => siblings[field] === undefined && !contradicts(node, field, names)),
  );
}
