import { ownValue, textOf } from "../../json.ts";
import { accepts, FIELD, type Reading, type SchemaNode, surely } from "../schema-node.ts";
import { readDuration, readEpoch, type Units } from "../texts/read-time.ts";
import { ofSeveral } from "./read-place.ts";
import { readText } from "./read-text.ts";

/** YAML reads an unquoted NO as false and 1.30 as 1.3, so the value may differ from what was written. */
const FALSE_WORDS = "YAML reads NO, off and n without quotes as false";
const TRUE_WORDS = "YAML reads YES, on and y without quotes as true";

/** Nothing is known of what a boolean means where the field does not take any word. */
function readBoolean(node: SchemaNode, value: boolean): Reading | null {
  const named = ownValue(node["x-values"], String(value));
  if (named !== undefined) return surely(named, "is true or false, and not a text");
  const problem = `is not a text: ${value ? TRUE_WORDS : FALSE_WORDS}`;
  if (!value && node["x-reads"] === "area") return surely("NO", problem);
  const text = String(value);
  if (node["x-free"] === true)
    return { problem: "is true or false, and not a text", advice: `write ${FIELD}"${text}"`, value: text };
  return isFree(node) && accepts(node, text) ? { problem, value: text } : null;
}

/** Whether any text can be meant: the schema says so, or sets no form. */
const isFree = ({
  "x-free": free,
  pattern,
  enum: values,
  format,
  "x-reads": reads,
  "x-structure": structure,
}: SchemaNode): boolean =>
  free === true || [pattern, values, format, reads, structure].every((one) => one === undefined);

/** Whether the field takes numbers in quotes: any word, or a text whose example is a number. */
const takesNumber = (node: SchemaNode, value: number): boolean => {
  const [example] = node.examples ?? [];
  return isFree(node) || (value >= 0 && typeof example === "string" && /^\d+(?:\.\d+)?$/.test(example));
};

/** 1.0 and 1 are the same number, but not the same label. */
const mayEndInZero = (node: SchemaNode, value: number): boolean =>
  node["x-free"] === true && Number.isInteger(value) && Math.abs(value) < 100 && accepts(node, `${String(value)}.0`);

/** A number that differs from what was written, or perhaps does; null for others. */
function lostDigits(node: SchemaNode, value: number, text: string): Reading | null {
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return {
      problem: "is a number with more digits than YAML keeps",
      advice: "put the value in quotes, as it is meant",
    };
  return accepts(node, text) && mayEndInZero(node, value)
    ? {
        problem: "is a number",
        advice: `write ${FIELD}"${text}"`,
        value: text,
      }
    : null;
}

/** A price that can be that of a month, or of zero; null for others. */
function readPriceNumber(node: SchemaNode, value: number): Reading | null {
  const found = node["x-reads"] === "price" ? readText(node, String(value)) : null;
  if (found?.advice === undefined) return null;
  return value > 0 ? { ...found, problem: "is a number" } : found;
}

function readBareNumber(node: SchemaNode, value: number): Reading | null {
  const text = String(value);
  const problem = "is a number";
  if (node.format === "date-time") return readEpoch(value);
  if (node["x-reads"] === "duration")
    return { problem: "has no unit", ...readDuration(text, node["x-zero"], node["x-bare-units"] as Units | undefined) };
  // No provider has offered versions below 1.10 for years.
  if (node["x-reads"] === "version" && /^1\.\d$/.test(text))
    return surely(`${text}0`, "is a number, and YAML drops a zero at its end");
  const lost = lostDigits(node, value, text);
  if (lost !== null) return lost;
  const price = readPriceNumber(node, value);
  if (price !== null) return price;
  if (accepts(node, text)) return takesNumber(node, value) ? surely(text, problem) : { problem };
  const found = readText(node, text);
  return found === null ? null : { problem, ...found };
}

/** The value that stands for all of a list, if the field knows each of them. */
function togetherFor(node: SchemaNode, values: readonly unknown[]): string | undefined {
  const isKnown = values.every((one) => accepts(node, one) || readString(node, one)?.value !== undefined);
  return isKnown ? node["x-together"] : undefined;
}

/** An item of a list as a text that the field takes, also a number whose quotes are missing; undefined for none. */
function firstText(node: SchemaNode, one: unknown): unknown {
  if (accepts(node, one)) return one;
  const text = typeof one === "number" && takesNumber(node, one) ? String(one) : one;
  if (accepts(node, text)) return text;
  return typeof text === "string" ? readText(node, text)?.value : undefined;
}

/** The advice about the only item of a list. */
function adviceOfOnly(node: SchemaNode, only: unknown): Reading {
  const advice = typeof only === "string" ? readText(node, only)?.advice : undefined;
  return advice === undefined ? { problem: "is a list" } : { problem: "is a list", advice };
}

/** A text as it stands in an advice: one with spaces, and a number, is in quotes. */
const written = (value: unknown): string => (/\s|^\d+$/.test(textOf(value)) ? JSON.stringify(value) : textOf(value));

/** The first text of a list. Of lines of a text, it says as little as any. */
function readTexts(node: SchemaNode, [only, ...more]: readonly unknown[]): Reading {
  const first = firstText(node, only);
  if (first === undefined) return more.length === 0 ? adviceOfOnly(node, only) : { problem: "is a list" };
  if (more.length === 0) return surely(first, "is a list");
  const several = node["x-several"];
  const texts = [only, ...more].flatMap((one) => firstText(node, one) ?? []);
  if (several !== undefined) return { problem: "is a list", advice: ofSeveral(several, texts.map(written)) };
  const together = togetherFor(node, more);
  if (together !== undefined) return surely(together, "is a list");
  const isLong = node.pattern === undefined && node.enum === undefined;
  return isLong ? { problem: "is a list" } : { problem: "is a list", value: first };
}

/** How a value of a field for texts can be understood. */
export function readString(node: SchemaNode, value: unknown): Reading | null {
  if (typeof value === "string") return readText(node, value);
  if (typeof value === "boolean") return readBoolean(node, value);
  if (typeof value === "number") return readBareNumber(node, value);
  const structure = node["x-structure"];
  if (structure !== undefined) return { problem: Array.isArray(value) ? "is a list" : "is a map", advice: structure };
  return Array.isArray(value) ? readTexts(node, value) : null;
}
