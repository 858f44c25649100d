import { accepts, type Reading, type SchemaNode, surely } from "./schema-node.ts";
import { readText } from "./read-text.ts";
import { readDuration, readEpoch } from "./read-time.ts";

/** YAML reads an unquoted NO as false and 1.30 as 1.3, so the value may differ from what was written. */
const FALSE_WORDS = "YAML reads NO, off and n without quotes as false";
const TRUE_WORDS = "YAML reads YES, on and y without quotes as true";

/** Nothing is known of what a boolean means where the field does not take any word. */
function readBoolean(node: SchemaNode, value: boolean): Reading | null {
  const problem = `is not a text: ${value ? TRUE_WORDS : FALSE_WORDS}`;
  if (!value && node["x-reads"] === "area") return surely("NO", problem);
  return node["x-free"] === true && accepts(node, String(value)) ? { problem, value: String(value) } : null;
}

/** Whether the field takes numbers in quotes: any word, or a text whose example is a number. */
const takesNumber = ({ "x-free": free, examples: [example] = [] }: SchemaNode, value: number): boolean =>
  free === true || (value >= 0 && typeof example === "string" && /^\d+(?:\.\d+)?$/.test(example));

function readBareNumber(node: SchemaNode, value: number): Reading | null {
  const text = String(value);
  const problem = "is a number";
  if (node.format === "date-time") return readEpoch(value);
  if (node["x-reads"] === "duration") return { ...readDuration(text), problem: "has no unit" };
  if (node["x-reads"] === "version" && /^1\.\d$/.test(text))
    return {
      problem: "is a number, and YAML drops a zero at its end",
      advice: `put the version in quotes: "${text}" or "${text}0"`,
    };
  if (accepts(node, text)) return takesNumber(node, value) ? surely(text, problem) : { problem };
  const found = readText(node, text);
  return found === null ? null : { ...found, problem };
}

/** The first text of a list. Of lines of a text, it says as little as any. */
function readTexts(node: SchemaNode, [only, ...more]: readonly unknown[]): Reading {
  const first = accepts(node, only) ? only : typeof only === "string" ? readText(node, only)?.value : undefined;
  if (first === undefined) return { problem: "is a list" };
  if (more.length === 0) return surely(first, "is a list");
  const isLong = node.pattern === undefined && node.enum === undefined;
  return isLong ? { problem: "is a list" } : { problem: "is a list", value: first };
}

/** How a value of a field for texts can be understood. */
export function readString(node: SchemaNode, value: unknown): Reading | null {
  if (typeof value === "string") return readText(node, value);
  if (typeof value === "boolean") return readBoolean(node, value);
  if (typeof value === "number") return readBareNumber(node, value);
  return Array.isArray(value) ? readTexts(node, value) : null;
}
