import { table } from "../table.ts";
import { accepts, type SchemaNode } from "./schema-node.ts";

/** The sentence about a text that is none, by `x-reads` of its field. */
const KINDS: Readonly<Record<string, string>> = table({
  area: "is not the code of an area or a country",
  "elemento-zone": "is not a zone of Elemento",
  duration: "is not a valid duration",
  network: "is not an IPv4 network",
  price: "is not a price",
  "ssh-key": "is not a public key",
  version: "is not a minor version",
});

const named = (character: string): string => {
  if (/\s/u.test(character)) return "has a space or a line break";
  return /\p{Lu}/u.test(character) ? `has the capital ${character}` : `has the character ${JSON.stringify(character)}`;
};

/** Whether the field takes a text that is its example with another character inside. */
const takesInside = (node: SchemaNode, example: string, character: string): boolean =>
  accepts(node, example.slice(0, 1) + character + example.slice(1));

/** Letters and digits that a field takes in most places. */
const USUAL = /^[a-z0-9]$/;

/** The first part of a text that its field takes nowhere, or not first or last. Null if none is found. */
function refusedPart(node: SchemaNode, text: string): string | null {
  const example = node.examples?.[0];
  if (typeof example !== "string" || !accepts(node, example)) return null;
  const wrong = [...text].find((one) => !USUAL.test(one) && !takesInside(node, example, one));
  if (wrong !== undefined) return named(wrong);
  const [first = "", last = ""] = [text.at(0), text.at(-1)];
  if (!accepts(node, first + example)) return `begins with ${JSON.stringify(first)}`;
  return accepts(node, example + last) ? null : `ends with ${JSON.stringify(last)}`;
}

/** Why a field does not take a value of its type. */
export function whyRefused(node: SchemaNode, value: unknown): string {
  if (node.format === "date-time") return "is not a valid time";
  const kind = KINDS[node["x-reads"] ?? ""];
  return kind ?? (typeof value === "string" ? refusedPart(node, value) : null) ?? "is not valid";
}
