import { isObject, textOf } from "../../json.ts";
import { isContainerImage, isImageId, systemInImage } from "../../places/images.ts";
import { readInUnit } from "./read-in-unit.ts";
import { readValue } from "./read-value.ts";
import type { SchemaNode } from "../schema-node.ts";

/** `node_count` and `NodeCount` are `nodeCount`: the words of other tools, in their notation. */
export const folded = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

/** The fields of a map by their names and their other names, without notation. */
interface Names {
  own: ReadonlyMap<string, string>;
  others: ReadonlyMap<string, readonly string[]>;
}

const NAMES = new WeakMap<object, Names>();

/** Each field of an object asks for them. */
function namesOf({ properties }: SchemaNode): Names {
  const known = properties === undefined ? undefined : NAMES.get(properties);
  if (properties === undefined) return { own: new Map(), others: new Map() };
  if (known !== undefined) return known;
  const fields = Object.keys(properties);
  const others = new Map<string, string[]>();
  for (const [field, { "x-aliases": names = [] }] of Object.entries(properties))
    for (const name of new Set(names.map(folded))) others.set(name, [...(others.get(name) ?? []), field]);
  const made = { own: new Map(fields.toReversed().map((field) => [folded(field), field] as const)), others };
  NAMES.set(properties, made);
  return made;
}

/** The field of a map that has this name, but for its notation. */
export const sameName = (node: SchemaNode, name: string): string | undefined => namesOf(node).own.get(folded(name));

/** The field of a map that has this name among its other names; of several, the first that takes the value. */
export function byAlias(node: SchemaNode, name: string, value?: unknown): string | undefined {
  const all = namesOf(node).others.get(folded(name)) ?? [];
  const takes = all.find(
    (field) => all.length > 1 && readValue(node.properties?.[field] ?? {}, value)?.value !== undefined,
  );
  return takes ?? all[0];
}

/** Words so short that they mean something else in each tool: `type`, `size`, `end`. */
export const GENERAL = 4;
const CLEAR: readonly string[] = ["cpus", "mem", "ram", "disk"];

/** The search for the fields of a map in a map of another tool. `isOwn`: that map is known to stand for this one, so that short words are clear. */
interface Search {
  node: SchemaNode;
  isOwn: boolean;
  depth: number;
  read: Read;
}

/** The value of a field in the words of another tool; undefined if it is not understood. */
export type Read = (node: SchemaNode, value: unknown) => unknown;

/** Whether a value can be nothing but a place: `to: aws/eu-west-3`. */
const isPlace = (child: SchemaNode | undefined, value: unknown): boolean =>
  child?.["x-reads"] === "place" && typeof value === "string" && readValue(child, value)?.value !== undefined;

function fieldFor({ node, isOwn }: Search, name: string, value: unknown): string | undefined {
  const same = sameName(node, name);
  if (same !== undefined) return same === "global" ? undefined : same;
  const isClear = isOwn || name.length > GENERAL || CLEAR.includes(name.toLowerCase());
  const field = byAlias(node, name, value);
  return isClear || isPlace(node.properties?.[field ?? ""], value) ? field : undefined;
}

/** A value as another tool has it, with the name that it has there. */
interface Given {
  name: string;
  value: unknown;
}

type Found = [field: string, value: unknown, given: Given];

/** Deeper, no tool has them: the terms of a Pod's affinity are at 8. */
export const DEEPEST = 8;

/** Maps that choose other objects by what they have: none of their fields is this one's. */
const CHOOSES = /selector(?:terms)?$|^match(?:labels|fields)$/;

const isChoice = (name: string): boolean => CHOOSES.test(folded(name)) && !folded(name).startsWith("nodeselector");

/** The requests of a container before its limits: a size is the least that a machine must have. */
const requestsFirst = (entries: [string, unknown][]): [string, unknown][] => [
  ...entries.filter(([name]) => folded(name) === "requests"),
  ...entries.filter(([name]) => folded(name) !== "requests"),
];

/** `{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}` of node affinity, as one field. */
const pairsOf = ({ properties = {} }: SchemaNode, map: Record<string, unknown>): [string, unknown][] =>
  // A taint has a key of its own.
  properties["key"] === undefined && typeof map["key"] === "string" && (map["values"] ?? map["value"]) !== undefined
    ? [[map["key"], map["values"] ?? map["value"]]]
    : requestsFirst(Object.entries(map));

function foundIn(search: Search, value: unknown): Found[] {
  const { node, depth } = search;
  if (depth > DEEPEST) return [];
  const deeper = { ...search, depth: depth + 1 };
  if (Array.isArray(value)) return value.flatMap((one) => foundIn(deeper, one));
  if (!isObject(value)) return [];
  return pairsOf(node, value).flatMap(([name, one]): Found[] => {
    if (isChoice(name)) return [];
    const field = fieldFor(search, name, one);
    return (field === undefined ? null : fieldIn(search, field, name, one)) ?? foundIn(deeper, one);
  });
}

/** `{Min: 4096}` of a range: its least number. */
const leastOf = (value: unknown): unknown =>
  isObject(value) ? Object.entries(value).find(([name]) => folded(name) === "min")?.[1] : value;

/** A field of a map with its value there; null where that is not understood. */
function fieldIn({ node, read }: Search, field: string, name: string, value: unknown): Found[] | null {
  const { [field]: child = {} } = node.properties ?? {};
  if (child["x-reads"] === "image") return imageIn(node, { name, value });
  const given = { name, value: leastOf(value) };
  const meant = readInUnit(child, given)?.value ?? read(child, value);
  return meant === undefined ? null : [[field, meant, given]];
}

/** An image in another tool's map: a provider's id, or the system that it names. That of a container is neither. */
function imageIn({ properties = {} }: SchemaNode, given: Given): Found[] {
  const { value: image } = given;
  if (typeof image !== "string" || isContainerImage(image)) return [];
  if (isImageId(image)) return [["image", image, given]];
  const system = systemInImage(image);
  return system === null || properties["os"] === undefined ? [] : [["os", system, given]];
}

/** Fields of a map that contradict others which are there as well: a count of nodes next to its limits. */
export function contradicts({ properties = {} }: SchemaNode, field: string, all: ReadonlySet<string>): boolean {
  const range = properties[field]?.["x-range"] ?? [];
  // The first port of a range is a part of it.
  return range.length > 0 && !range.includes(field) && range.every((one) => all.has(one));
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
  const all = foundIn({ node, isOwn, depth: 0, read }, value);
  const found = new Map(all.map(([field, one]) => [field, one] as const).toReversed());
  const names = new Set([...found.keys(), ...Object.keys(siblings)]);
  return new Map(
    [...found].toReversed().filter(([field]) => siblings[field] === undefined && !contradicts(node, field, names)),
  );
}

/** `; cpu 500m becomes 1, the next whole number` for sizes in a map of another tool that are none; nothing without any. */
export function roundedIn(node: SchemaNode, value: unknown): string {
  const read: Read = (child, one) => readValue(child, one)?.value;
  const all = foundIn({ node, isOwn: true, depth: 0, read }, value).toReversed();
  const sizes = new Map(all.map(([field, meant, given]) => [field, { meant, given }]));
  const texts = [...sizes].toReversed().flatMap(([field, { meant, given }]) => {
    const child = node.properties?.[field] ?? {};
    const isExact = (readInUnit(child, given) ?? readValue(child, given.value))?.sure === true;
    return child["x-unit"] === undefined || isExact || !AMOUNT.test(textOf(given.value))
      ? []
      : [`${field} ${textOf(given.value)} becomes ${textOf(meant)}`];
  });
  const what = texts.length === 1 ? "the next whole number" : "the next whole numbers";
  return texts.length === 0 ? "" : `; ${texts.join(" and ")}, ${what}`;
}
const AMOUNT = /^\d{1,9}(?:[.,]\d{1,6})? ?[a-z]{0,9}$/i;

/** By schema and provider: there are few of both. */
const made = new WeakMap<SchemaNode, Map<string, SchemaNode>>();

const mapped = (nodes: Readonly<Record<string, SchemaNode>>, provider: string): Readonly<Record<string, SchemaNode>> =>
  Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, ofProvider(node, provider)]));

/** A part of a schema with the provider, and with examples that this provider takes. */
function ofProvider(node: SchemaNode, provider: string): SchemaNode {
  const { properties, items, "x-provider-examples": examples = {} } = node;
  const { [provider]: example } = examples;
  return {
    ...node,
    "x-provider": provider,
    ...(example === undefined ? {} : { examples: [example] }),
    ...(properties === undefined ? {} : { properties: mapped(properties, provider) }),
    ...(items === undefined ? {} : { items: ofProvider(items, provider) }),
  };
}

/** The provider that an object names, also in the words of another tool; undefined for none. */
function providerIn(schema: SchemaNode, spec: unknown): string | undefined {
  if (!isObject(spec) || schema.properties?.["provider"] === undefined) return undefined;
  const [, given] =
    Object.entries(spec).find(([name]) => sameName(schema, name) === "provider") ??
    Object.entries(spec).find(([name, value]) => byAlias(schema, name, value) === "provider") ??
    [];
  const provider = readValue(schema.properties["provider"], given)?.value;
  return typeof provider === "string" ? provider : undefined;
}

/** The schema for one object: its corrections and examples are those of the provider that the object names. */
export function forProvider(schema: SchemaNode, spec: unknown): SchemaNode {
  const provider = providerIn(schema, spec);
  if (provider === undefined) return schema;
  const known = made.get(schema) ?? new Map<string, SchemaNode>();
  const found = known.get(provider) ?? ofProvider(schema, provider);
  made.set(schema, known.set(provider, found));
  return found;
}
