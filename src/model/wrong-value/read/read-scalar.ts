import { isObject, ownValue, textOf } from "../../json.ts";
import { outside, readRange, readShare } from "./read-bounds.ts";
import { accepts, FIELD, type Reading, type SchemaNode, surely, typeOf } from "../schema-node.ts";
import { ofSeveral } from "./read-place.ts";
import { readText } from "./read-text.ts";
import { readGpu } from "../texts/read-gpu.ts";
import { readDuration, readEpoch, type Units } from "../texts/read-time.ts";
import { table } from "../../table.ts";

const KIBI = 1024;

/** By the unit of a field, what one of another unit is in it. G and Gi are the same here, as most people mean. */
const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = table({
  GiB: {
    ...{ g: 1, gb: 1, gi: 1, gib: 1, gig: 1, gigs: 1, gigabyte: 1, gigabytes: 1 },
    ...{ m: 1 / KIBI, mb: 1 / KIBI, mi: 1 / KIBI, mib: 1 / KIBI, megabytes: 1 / KIBI },
    ...{ k: 1 / KIBI ** 2, kb: 1 / KIBI ** 2, ki: 1 / KIBI ** 2, kib: 1 / KIBI ** 2 },
    ...{ t: KIBI, tb: KIBI, ti: KIBI, tib: KIBI },
  },
  vCPU: { cpu: 1, cpus: 1, vcpu: 1, vcpus: 1, core: 1, cores: 1, c: 1, m: 1 / 1000 },
  ms: { ms: 1, msec: 1, millis: 1, milliseconds: 1, s: 1000, sec: 1000, second: 1000, seconds: 1000 },
  h: { h: 1, hour: 1, hours: 1, hrs: 1, d: 24, day: 24, days: 24, w: 168 },
  share: { "%": 1 / 100, percent: 1 / 100, pct: 1 / 100 },
  percent: { "%": 1, percent: 1, pct: 1 },
  // Of a count.
  "": { k: 1000, thousand: 1000 },
});

/** A number and perhaps a unit. */
const QUANTITY = /^([+-]?\d{1,18}(?:[.,]\d{1,9})?(?:e\d{1,2})?) ?([a-z%]{0,12})$/i;

/** The next whole number: below for a maximum, so that no advice widens it, and above for others, which ask for at least so much. */
function whole(node: SchemaNode, amount: number): Reading | null {
  const round = node["x-most"] === true ? Math.floor : Math.ceil;
  const value = typeOf(node) === "integer" ? round(amount) : amount;
  if (!accepts(node, value)) return null;
  return { value, sure: value === amount };
}

/** `>=4`, `at least 4`, `16 GB RAM`, `2-4`: of more words than a number and a unit, the least number is an example. */
const LOOSE =
  /^(?:[<>=~≥≤ ]{0,4}|(?:at least|min\.?|about|up to|max\.?) ?)(\d{1,9}(?:[.,]\d{1,4})? ?[a-z%]{0,12})(?:\+|(?: ?-|\.\.) ?\d{1,9} ?[a-z%]{0,12})?(?: (?:of )?[a-z]{2,12})?$/i;

function readLoosely(node: SchemaNode, text: string): Reading | null {
  const [, amount = ""] = LOOSE.exec(text.trim()) ?? [];
  const found = amount === "" ? null : readQuantity(node, amount);
  return found?.value === undefined ? null : { value: found.value };
}

/** `1,5` is a fraction, `16,384` a number in thousands, and `80,4431` two numbers: NaN. */
function amountOf(digits: string): number {
  if (/^[+-]?\d{1,3},\d{3}$/.test(digits)) return Number(digits.replace(",", ""));
  return /,\d{3}/.test(digits) ? Number.NaN : Number(digits.replace(",", "."));
}

function readQuantity(node: SchemaNode, text: string): Reading | null {
  const [, digits = "", name = ""] = QUANTITY.exec(text.trim()) ?? [];
  const amount = amountOf(digits);
  if (digits === "" || Number.isNaN(amount)) return null;
  const factor = name === "" ? 1 : ownValue(UNITS[node["x-unit"] ?? ""], name.toLowerCase());
  return factor === undefined ? null : whole(node, amount * factor);
}

function readNumber(node: SchemaNode, value: number): Reading | null {
  const share = readShare(node, value);
  if (share !== null) return share;
  if (typeOf(node) === "integer" && !Number.isInteger(value)) {
    const rounded = whole(node, value);
    return rounded === null ? outside(node, value) : { ...rounded, problem: "is not a whole number" };
  }
  const isLarge = node["x-unit"] === "GiB" && value >= KIBI ** 3 && !accepts(node, value);
  const gib = isLarge ? whole(node, value / KIBI ** 3)?.value : undefined;
  return gib === undefined ? outside(node, value) : { value: gib, problem: "is a number of bytes" };
}

/** Words for a limit that does not exist. */
const NO_LIMIT = /^(?:none|unlimited|infinite|infinity|no limit|off)$/i;

/** `0.1`, `0,5 %`: a part of 1 or of a percent; null for others. */
function readPart(node: SchemaNode, text: string): Reading | null {
  const [, part] = /^(\d{0,4}[.,]\d{1,9}) ?(?:%|percent)?$/.exec(text.trim()) ?? [];
  return part === undefined ? null : readShare(node, Number(part.replace(",", ".")));
}

function readNumberText(node: SchemaNode, text: string): Reading | null {
  if (NO_LIMIT.test(text.trim()) && accepts(node, null)) return surely(null);
  const named = ownValue(node["x-values"], text.trim().toLowerCase());
  if (named !== undefined) return surely(Number(named));
  const range = readRange(node, text);
  if (range !== null) return range;
  const found = readPart(node, text) ?? readQuantity(node, text) ?? readLoosely(node, text);
  if (found === null || !/^\d+$/.test(text)) return found;
  return surely(found.value, "is a text, because of its quotes");
}

/** `{min: 2, max: 8}`: of what other tools ask as a range, the least, and of a maximum the most. */
function readEnd(node: SchemaNode, value: Record<string, unknown>): Reading | null {
  const names = node["x-most"] === true ? ["max", "maximum", "limits"] : ["min", "minimum", "requests"];
  const ends = Object.entries(value).map(([name, one]) => [name.toLowerCase(), one] as const);
  const [, end] = ends.find(([name]) => names.includes(name)) ?? [];
  const { min = null, max = null } = Object.fromEntries(ends);
  const range = accepts(node, min) && accepts(node, max) ? readRange(node, `${textOf(min)}-${textOf(max)}`) : null;
  if (range !== null) return range;
  return accepts(node, end ?? null) ? { value: end } : null;
}

/** Words for all ports, which in other tools are zero. */
const ALL = /^(?:all|any|\*|-)$/i;

/** How a value of a field for whole numbers can be understood; null if it cannot. */
export function readInteger(node: SchemaNode, value: unknown): Reading | null {
  if (node["x-reads"] === "port" && typeof value === "string" && ALL.test(value.trim())) return outside(node, 0);
  const gpu = node["x-reads"] === "gpu" ? readGpu(node, value) : null;
  return gpu ?? readCount(node, value);
}

function readCount(node: SchemaNode, value: unknown): Reading | null {
  if (typeof value === "number") return readNumber(node, value);
  if (typeof value === "string") return readNumberText(node, value);
  if (isObject(value)) return readEnd(node, value);
  if (!Array.isArray(value)) return null;
  const [only, ...more] = value as unknown[];
  if (!accepts(node, only)) return null;
  return more.length === 0 ? surely(only, "is a list") : { problem: "is a list", value: only };
}

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

const firstText = (node: SchemaNode, one: unknown): unknown =>
  accepts(node, one) ? one : typeof one === "string" ? readText(node, one)?.value : undefined;

/** The advice about the only item of a list. */
function adviceOfOnly(node: SchemaNode, only: unknown): Reading {
  const advice = typeof only === "string" ? readText(node, only)?.advice : undefined;
  return advice === undefined ? { problem: "is a list" } : { problem: "is a list", advice };
}

/** A text as it stands in an advice: one with spaces is in quotes. */
const written = (value: unknown): string => (/\s/.test(textOf(value)) ? JSON.stringify(value) : textOf(value));

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
