import { isObject } from "../json.ts";
import { aboutAll, besideItems } from "./elsewhere.ts";
import { assignment } from "./explain-value.ts";
import type { UnknownField } from "./other-map.ts";
import { type Foreign, readForeign } from "./read-foreign.ts";
import { readWithin } from "./read-within.ts";
import { childOf, type SchemaNode } from "./schema-node.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The numbers next to a map that belong into it: the count of nodes next to `node_config`. */
function numbersBeside(item: SchemaNode, { properties = {} }: SchemaNode, siblings: Fields): Fields {
  const others = Object.entries(siblings).filter(([name, one]) => properties[name] === undefined && !isObject(one));
  return Object.fromEntries(
    [...readWithin(item, Object.fromEntries(others), {})].filter(([, one]) => typeof one === "number"),
  );
}

/** The value of another tool's map or list, with the numbers next to a map that is the only one. */
function whole(node: SchemaNode, child: SchemaNode, { value, siblings }: UnknownField): unknown {
  const isAlone = child.items?.properties !== undefined && isObject(value) && !Object.values(value).every(isObject);
  return isAlone ? { ...numbersBeside(child.items ?? {}, node, siblings), ...value } : value;
}

/** The values of a list beyond the first, which another field takes: the first disk of a machine is its system's. */
function restOf(node: SchemaNode, child: SchemaNode, value: unknown): readonly [string, Foreign] | null {
  const name = child["x-rest"];
  if (name === undefined || !Array.isArray(value) || value.length < 2) return null;
  const found = readForeign(childOf(node, name) ?? {}, value.slice(1));
  return found === null ? null : [name, found];
}

/** `; name, cpu and memory are examples` after a correction; nothing if none of its values is one. */
export function areExamples(names: readonly string[]): string {
  if (names.length === 0) return "";
  const listed = [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(" and ");
  return `; ${listed} ${names.length === 1 ? "is an example" : "are examples"}`;
}

/** A correction, and the fields that it writes. */
export interface Written {
  correction: string;
  fields: readonly (readonly [name: string, value: unknown])[];
}

/** The correction of a map or list in the words of another tool; null if it is not understood. */
export function foreignValue(node: SchemaNode, meant: string, field: UnknownField): Written | null {
  const child = childOf(node, meant) ?? {};
  const given = whole(node, child, field);
  const rest = restOf(node, child, given);
  const found = readForeign(child, rest === null || !Array.isArray(given) ? given : given.slice(0, 1));
  const told = found === null ? aboutAll(child, field.value) : undefined;
  if (found === null) return told === undefined ? null : { correction: told, fields: [] };
  const all = [[meant, found] as const, ...(rest === null ? [] : [rest])];
  const written = all.map(([name, one]) => assignment(`/${name}`, one.value));
  const beside = besideItems(child.items ?? {}, found.items ?? []);
  const lacking = new Set(all.flatMap(([, one]) => one.lacking));
  const correction = `write ${[...written, ...beside].join(" and ")}${areExamples([...lacking])}`;
  return { correction, fields: all.map(([name, one]) => [name, one.value]) };
}
