import { flow } from "./explain-value.ts";
import { byAlias, folded, sameName } from "./read-within.ts";
import { readValue } from "./read-value.ts";
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

/** Whether the field at a place can be meant: it has the name, or another name of it and a value that it takes. */
function isMeant(field: string, node: SchemaNode, { name, value }: UnknownField): boolean {
  if (folded(field) === folded(name)) return true;
  const isAlias = (node["x-aliases"] ?? []).some((one) => folded(one) === folded(name));
  return isAlias && readValue(node, value)?.value !== undefined;
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
    const meant = place === null || at !== holder ? undefined : readValue(place.node, value)?.value;
    return meant === undefined ? [] : [[field, meant] as const];
  });
  return Object.fromEntries(found);
}

/** `network: {publicIP: true}` for a field of a map that lies `above` it, and others that belong there too. */
export function writtenBelow(node: SchemaNode, place: Place, above: readonly string[], field: UnknownField): string {
  const path = [...above, place.path].join(".");
  const meant = readValue(place.node, field.value)?.value;
  if (path.includes("[]") || meant === undefined) return `it belongs to ${path}`;
  const [holder, name] = lastOf(place.path);
  const [first = name, ...keys] = [...above, ...holder.split(".")].filter((key) => key !== "");
  const inner = { ...together(node, holder, field), [name]: meant };
  return `write ${first}: ${flow(keys.reduceRight<unknown>((value, key) => ({ [key]: value }), inner))}`;
}
