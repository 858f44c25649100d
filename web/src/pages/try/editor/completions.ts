import { childOf, choicesOf, type SchemaNode, schemaAt, typeOf } from "../document/schema.ts";
import { cursorAt, siblingsAt } from "./cursor-path.ts";

export interface Choice {
  label: string;
  /** The text that is inserted. */
  apply: string;
  /** The unit or the kind of value. */
  detail: string;
  info: string;
}

export interface Choices {
  from: number;
  options: Choice[];
}

/** Names of the catalog, for fields that name a place or a region. */
export interface Known {
  places: readonly string[];
}

const detailOf = (node: SchemaNode): string => node["x-unit"] ?? typeOf(node);

/** A key with what follows it: a space, or the next line for a map or list. */
function applied(name: string, node: SchemaNode, indent: string): string {
  const type = typeOf(node);
  if (type === "object") return `${name}:\n${indent}  `;
  if (type === "array") return `${name}:\n${indent}  - `;
  return `${name}: `;
}

function keysOf(node: SchemaNode, present: readonly string[], indent: string): Choice[] {
  return Object.entries(node.properties ?? {})
    .filter(([name]) => !present.includes(name))
    .map(([name, field]) => ({
      ...{ label: name, apply: applied(name, field, indent), detail: detailOf(field), info: field.description ?? "" },
    }));
}

const quoted = (value: unknown, node: SchemaNode): string =>
  typeof value === "string" && typeOf(node) === "string" && /^[\d.]+$/.test(value) ? `"${value}"` : String(value);

/** Places for a field that takes one; the part after the provider for one that takes a region. */
function placesFor(node: SchemaNode, { places }: Known): string[] {
  if (node["x-reads"] === "place") return [...places];
  if (node["x-reads"] === "region") return [...new Set(places.map((place) => place.split("/")[1] ?? ""))];
  return [];
}

function valuesOf(node: SchemaNode, known: Known): Choice[] {
  const listed = choicesOf(node);
  const values = listed.length > 0 ? listed : placesFor(node, known);
  const examples = values.length > 0 || node.examples === undefined ? [] : node.examples;
  return [
    ...values.map((value) => ({ label: value, apply: value, detail: "", info: node.description ?? "" })),
    ...examples
      .filter((value) => typeof value !== "object")
      .map((value) => ({
        ...{ label: quoted(value, node), apply: quoted(value, node), detail: "example", info: node.description ?? "" },
      })),
  ];
}

/** The choices at the cursor: keys that the map does not have yet, or values. Null where nothing is known. */
export function choicesAt(text: string, offset: number, schema: SchemaNode, known: Known): Choices | null {
  const { path, key, word, from } = cursorAt(text, offset);
  const node = schemaAt(schema, path);
  if (node === undefined || /[#[{]/.test(word)) return null;
  if (key !== null) {
    const child = childOf(node, key);
    return child === undefined ? null : { from, options: valuesOf(child, known) };
  }
  const indent = " ".repeat(from - (text.lastIndexOf("\n", offset - 1) + 1));
  const options =
    node.properties === undefined ? valuesOf(node, known) : keysOf(node, siblingsAt(text, offset), indent);
  return { from, options };
}
