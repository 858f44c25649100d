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

function fieldFor(node: SchemaNode, name: string, value: unknown): string | undefined {
  const same = sameName(node, name);
  if (same !== undefined) return same === "global" ? undefined : same;
  return name.length > GENERAL || CLEAR.includes(name.toLowerCase()) ? byAlias(node, name, value) : undefined;
}

type Found = [field: string, value: unknown];

/** Deeper, no tool has them. */
const DEEPEST = 5;

/** `{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}` of node affinity, as one field. */
const pairsOf = (map: Record<string, unknown>): [string, unknown][] =>
  typeof map["key"] === "string" && (map["values"] ?? map["value"]) !== undefined
    ? [[map["key"], map["values"] ?? map["value"]]]
    : Object.entries(map);

function foundIn(node: SchemaNode, value: unknown, depth = 0): Found[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => foundIn(node, one, depth + 1));
  if (!isObject(value)) return [];
  return pairsOf(value).flatMap(([name, one]): Found[] => {
    const field = fieldFor(node, name, one);
    const meant = field === undefined ? undefined : readValue(node.properties?.[field] ?? {}, one)?.value;
    return field === undefined || meant === undefined ? foundIn(node, one, depth + 1) : [[field, meant]];
  });
}

/** Fields of a map that contradict others which are there as well: a count of nodes next to its limits. */
function contradicts({ properties = {} }: SchemaNode, field: string, all: ReadonlySet<string>): boolean {
  const range = properties[field]?.["x-range"] ?? [];
  return range.length > 0 && range.every((one) => all.has(one));
}

/**
 * The fields of a map that stand one or more levels too deep, in a map that another tool has and this one has not: `{minSize: 1, maxSize: 3}` of
 * `autoscaling` are min and max. Those that the map has already are omitted.
 */
export function readWithin(
  node: SchemaNode,
  value: unknown,
  siblings: Readonly<Record<string, unknown>>,
): Map<string, unknown> {
  const found = new Map(foundIn(node, value).toReversed());
  const names = new Set([...found.keys(), ...Object.keys(siblings)]);
  return new Map(
    [...found].toReversed().filter(([field]) => siblings[field] === undefined && !contradicts(node, field, names)),
  );
}
