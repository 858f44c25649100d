import { pointerKey } from "../json.ts";
import { nearest } from "../text/nearest.ts";
import { type Explanation, wanted } from "./explain-value.ts";
import { readValue } from "./read-value.ts";
import { childOf, type SchemaNode } from "./schema-node.ts";
import { assignment, flow } from "./show-value.ts";

/** `node_count` and `NodeCount` are `nodeCount`: the words of other tools, in their notation. */
const folded = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

/** The field of a map that a name stands for: the same but for its notation, another name of it, or nearly the same name. */
function fieldFor({ properties = {} }: SchemaNode, name: string): string | null {
  const wanted = folded(name);
  const fields = Object.entries(properties);
  const same = fields.find(([field]) => folded(field) === wanted);
  const alias = fields.find(([, { "x-aliases": names = [] }]) => names.some((one) => folded(one) === wanted));
  return (
    (same ?? alias)?.[0] ??
    nearest(
      name,
      Object.keys(properties).filter((field) => field !== "global"),
    )
  );
}

/** Where in the schema a field of this name is: `network.publicIP`; null if nowhere. */
function elsewhere(schema: SchemaNode, name: string, path = ""): string | null {
  for (const [field, node] of Object.entries(schema.properties ?? {})) {
    const full = `${path}${field}`;
    if (path !== "" && [field, ...(node["x-aliases"] ?? [])].some((one) => folded(one) === folded(name))) return full;
    const found = elsewhere(node, name, `${full}.`) ?? elsewhere(node.items ?? {}, name, `${full}[].`);
    if (found !== null) return found;
  }
  return null;
}

export interface UnknownField {
  /** Of the map that holds it. */
  parent: string;
  name: string;
  value: unknown;
  /** The map itself. */
  siblings: Readonly<Record<string, unknown>>;
}

/** `network: {publicIP: true}` for a field of another map. */
function within(place: string, value: unknown): string {
  if (place.includes("[]")) return `it belongs to ${place}`;
  const [first = "", ...others] = place.split(".");
  return `write ${first}: ${flow(others.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value))}`;
}

/** No user means a name that is longer. */
const LONGEST_NAME = 60;
const MOST_LISTED = 12;

function listed({ properties = {} }: SchemaNode): string {
  const names = Object.keys(properties);
  return names.length <= MOST_LISTED
    ? `; the fields here are ${names.join(", ")}`
    : "; docs/reference/ lists the fields of each kind";
}

/** What to do about a field that stands for none here. */
function withoutMeaning(schema: SchemaNode, node: SchemaNode, { name, value }: UnknownField): string {
  const place = elsewhere(schema, name);
  return place === null ? `remove it${listed(node)}` : within(place, value);
}

/** What to write instead of a field that stands for `meant`. */
function renamed(node: SchemaNode, meant: string, { parent, name, value, siblings }: UnknownField): Explanation {
  const detail = "is not a field";
  if (siblings[meant] !== undefined) return { detail, correction: `remove it: ${meant} is set as well` };
  const child = childOf(node, meant) ?? {};
  const pointer = `${parent}/${meant}`;
  const reading = readValue(child, value);
  if (reading?.value === undefined) {
    const wants = `write ${wanted(pointer, child)}`;
    return { detail, correction: reading?.advice === undefined ? wants : `write ${meant}; ${reading.advice}` };
  }
  const correction = `write ${assignment(pointer, reading.value)}`;
  if (reading.sure !== true) return { detail, correction };
  const path = (field: string): string => `/spec${parent}/${pointerKey(field)}`;
  return {
    detail,
    correction,
    patch: [
      { op: "remove", path: path(name) },
      { op: "add", path: path(meant), value: reading.value },
    ],
  };
}

/** What to do instead of a field that has a known meaning elsewhere. */
function instead({ "x-elsewhere": told = {} }: SchemaNode, name: string): string | undefined {
  const wanted = folded(name);
  return Object.entries(told).find(([one]) => folded(one) === wanted)?.[1];
}

/** Why there is no such field, and which one may be meant. `meant` is its name. */
export function explainUnknown(
  schema: SchemaNode,
  node: SchemaNode,
  field: UnknownField,
): Explanation & { meant: string | null } {
  const { name } = field;
  const told = name.length > LONGEST_NAME ? "remove it" : instead(node, name);
  const meant = told === undefined ? fieldFor(node, name) : null;
  if (meant !== null) return { ...renamed(node, meant, field), meant };
  return { detail: "is not a field", meant, correction: told ?? withoutMeaning(schema, node, field) };
}
