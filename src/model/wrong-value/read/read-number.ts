import { isObject, ownValue, textOf } from "../../json.ts";
import { table } from "../../table.ts";
import { accepts, type Reading, type SchemaNode, surely, typeOf } from "../schema-node.ts";
import { readGpu } from "../texts/read-gpu.ts";
import { outside, readRange, readShare } from "./read-bounds.ts";

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
