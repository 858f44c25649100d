import type { PatchOperation } from "../decision.ts";
import { isObject, keysOf, pointerKey, pointerTo } from "../json.ts";
import { assignment, type Explanation, flow } from "./explain-value.ts";
import { parseIpv4Network } from "../formats/ipv4-network.ts";
import { complete, leavesOf } from "./read/read-foreign.ts";
import { byAlias, folded, GENERAL, sameName } from "./read/read-within.ts";
import { readValue } from "./read/read-value.ts";
import type { SchemaNode } from "./schema-node.ts";

/** A field that its map does not have. */
export interface UnknownField {
  /** Of the map that holds it. */
  parent: string;
  name: string;
  value: unknown;
  /** The map itself. */
  siblings: Readonly<Record<string, unknown>>;
  /** The list that holds the map as an item; omitted for others. */
  list?: readonly unknown[];
}

/** A field of another map. */
export interface Place {
  /** `network.publicIP`, `ports[].toPort` */
  path: string;
  node: SchemaNode;
}

/** The addresses in a value: a network without a name, also in a map or a list. Undefined for none that the field takes. */
function addressesIn(node: SchemaNode, { name, value }: Pick<UnknownField, "name" | "value">): unknown {
  const { "x-network-names": names = [], "x-aliases": others = [] } = node;
  if (![...names, ...(names.length === 0 ? [] : others)].some((one) => folded(one) === folded(name))) return undefined;
  const network = leavesOf(value).find((one) => typeof one === "string" && parseIpv4Network(one) !== null);
  return readValue(node, network)?.value;
}

/** The value that is meant for the field at a place; undefined if none can be read. */
const meantAt = (node: SchemaNode, field: UnknownField): unknown =>
  addressesIn(node, field) ?? complete(node, field.value);

/** Whether the field at a place can be meant: it has the name, or another name of it and a value that it takes. */
function isMeant(field: string, node: SchemaNode, { name, value }: UnknownField): boolean {
  if (addressesIn(node, { name, value }) !== undefined) return true;
  // A short word says nothing alone: `type: batch` is not a class of disks.
  if (folded(field) === folded(name)) return name.length > GENERAL || complete(node, value) !== undefined;
  const isAlias = (node["x-aliases"] ?? []).some((one) => folded(one) === folded(name));
  return isAlias && complete(node, value) !== undefined;
}

/** The path of a field of this name below this part of the schema; null for none. */
export function below(node: SchemaNode, field: UnknownField, path = ""): Place | null {
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const full = `${path}${name}`;
    if (path !== "" && isMeant(name, child, field)) return { path: full, node: child };
    const found = below(child, field, `${full}.`) ?? below(child.items ?? {}, field, `${full}[].`);
    if (found !== null) return found;
  }
  return null;
}

/** The map that holds the field at a path, and the field's name in it. */
function lastOf(path: string): readonly [holder: string, name: string] {
  const at = path.lastIndexOf(".");
  return [path.slice(0, Math.max(0, at)), path.slice(at + 1)];
}

/** The fields of a map that all belong to one elsewhere, in their order: two corrections would write that map twice. */
function together(node: SchemaNode, holder: string, { parent, siblings, name }: UnknownField): Record<string, unknown> {
  const found = Object.entries(siblings).flatMap(([other, value]) => {
    const isOwn = other !== name && (sameName(node, other) ?? byAlias(node, other)) !== undefined;
    const place = isOwn ? null : below(node, { parent, name: other, value, siblings });
    const [at, field] = lastOf(place?.path ?? "");
    const meant =
      place === null || at !== holder ? undefined : meantAt(place.node, { parent, name: other, value, siblings });
    return meant === undefined ? [] : [[field, meant] as const];
  });
  return Object.fromEntries(found);
}

/** `network: {publicIP: true}` for a field of a map that lies `above` it, and others that belong there too. */
export function writtenBelow(
  node: SchemaNode,
  place: Place,
  above: readonly string[],
  field: UnknownField,
): Pick<Explanation, "correction" | "likely" | "within"> {
  const path = [...above, place.path].join(".");
  const meant = meantAt(place.node, field);
  if (path.includes("[]") || meant === undefined) return { correction: `it belongs to ${path}` };
  const [holder, name] = lastOf(place.path);
  const [first = name, ...keys] = [...above, ...holder.split(".")].filter((key) => key !== "");
  const inner: unknown = { ...together(node, holder, field), [name]: meant };
  const value = keys.reduceRight((one, key) => ({ [key]: one }), inner);
  const likely: PatchOperation[] = [
    { op: "remove", path: `/spec${field.parent}/${pointerKey(field.name)}` },
    { op: "add", path: `/spec${pointerTo([first, ...keys, name])}`, value: meant },
  ];
  return { correction: `write ${first}: ${flow(value)}`, likely, within: { field: first, value } };
}

/** `; id has no counterpart` for the other parts of a map of which the addresses are taken. */
function besideAddresses(value: unknown): string {
  if (!isObject(value)) return "";
  const others = Object.entries(value).filter(([name, one]) => {
    const isAddress = leavesOf(one).some((leaf) => typeof leaf === "string" && parseIpv4Network(leaf) !== null);
    return !isAddress && folded(name) !== "name" && typeof one !== "object";
  });
  const [only, ...more] = others.map(([name]) => name);
  if (only === undefined) return "";
  return `; ${[only, ...more].join(", ")} ${more.length === 0 ? "has" : "have"} no counterpart`;
}

/** The correction of a field that has the name of a network and addresses as its value: they are those of the object's own network. Null for other fields. */
export function ofAddresses(
  node: SchemaNode,
  field: UnknownField,
): (Pick<Explanation, "correction" | "likely" | "within"> & { meant: string[] }) | null {
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const value = addressesIn(child, field);
    const path = (key: string): string => `/spec${field.parent}/${pointerKey(key)}`;
    const removed: PatchOperation = { op: "remove", path: path(field.name) };
    if (value === undefined) continue;
    if (field.siblings[name] !== undefined)
      return { correction: `remove it: ${name} is set as well`, likely: [removed], meant: [name] };
    const likely: PatchOperation[] = [removed, { op: "add", path: path(name), value }];
    return { correction: `write ${assignment(`/${name}`, value)}`, likely, meant: [name] };
  }
  const above = keysOf(field.parent);
  const place = above.some((key) => /^\d+$/.test(key)) ? null : below(node, field);
  if (place === null || addressesIn(place.node, field) === undefined) return null;
  const written = writtenBelow(node, place, above, field);
  return { ...written, correction: written.correction + besideAddresses(field.value), meant: [] };
}
