import { isObject } from "../../json.ts";
import { readValue } from "../read/read-value.ts";
import type { SchemaNode } from "../schema-node.ts";

/** The entries of two fields for one list, or of two maps of names, which share none; null for others. */
export function united(child: SchemaNode, own: unknown, other: unknown): unknown {
  const [one, more] = [own, other].map((value) => readValue(child, value)?.value);
  if (Array.isArray(one) && Array.isArray(more)) {
    const all = [one, more].flat() as unknown[];
    return [...new Map(all.map((entry) => [JSON.stringify(entry), entry])).values()];
  }
  if (!isObject(one) || !isObject(more) || child.properties !== undefined) return null;
  return Object.keys(more).some((name) => Object.hasOwn(one, name)) ? null : { ...one, ...more };
}
