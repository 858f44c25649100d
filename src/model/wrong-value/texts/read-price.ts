import { isObject, ownValue, textOf } from "../../json.ts";
import { table } from "../../table.ts";
import { HOUR_SECONDS, parseDuration } from "../../time.ts";
import { readDuration } from "./read-time.ts";
import { accepts, FIELD, type Reading, type SchemaNode, surely } from "../schema-node.ts";

const AMOUNT = String.raw`(\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,6})?|\d{0,6}(?:[.,]\d{1,6})?|\d{1,6}[.,])`;
const SPAN = "h|hr|hour|hourly|d|day|daily|w|wk|week|weekly|mo|month|monthly|y|yr|year|yearly|annual|annually|run";
const PRICE = new RegExp(
  String.raw`^(?:usd|us\$|\$)? ?${AMOUNT} ?(?:usd|us\$|\$|dollars?)?(?: ?(?:\/|per|an?)? ?(${SPAN}))?$`,
  "i",
);

/** A span of which a price may be, with its hours; of a month as the platform's quotas count them. */
interface Span {
  name: string;
  hours: number;
}
const SPANS: Readonly<Record<string, Span>> = table({
  d: { name: "day", hours: 24 },
  w: { name: "week", hours: 168 },
  m: { name: "month", hours: 730 },
  y: { name: "year", hours: 8760 },
  a: { name: "year", hours: 8760 },
});

const CENTS = /^(\d{1,5}(?:[.,]\d{1,3})?) ?(?:c|ct|cts|cents?|¢)(?: ?(?:\/|per|an?) ?h(?:r|our)?)?$/i;
const OTHER_CURRENCY = /[€£¥]|\b(?:eur|euros?|gbp|chf|jpy|sek)\b/i;

const OTHER_SPAN = /\b(?:day|week|month|year|d|w|mo|m|y|yr)\b/i;

/** More is the price of an hour of few machines, and of a month of many. */
const HIGH = 20;

const MICRO = 1e6;

/** As few digits as the number needs: 0.5 of `.5`, and 5 of `5.`. At most six, and none that is more than the amount: it is a maximum. */
const decimal = (amount: number): string => String(Math.floor(Number((amount * MICRO).toFixed(3))) / MICRO);

/** `1,200.50` and `0,12`: a comma before three digits parts thousands. */
const plain = (amount: string): string =>
  /^[1-9]\d{0,2}(?:,\d{3}){1,3}(?:\.|$)/.test(amount) ? amount.replaceAll(",", "") : amount.replace(",", ".");

/** `0.50` stays as it is; `.5` and `5.` are not numbers to all. */
function tidied(node: SchemaNode, amount: string): string {
  const value = plain(amount);
  return accepts(node, value) ? value : decimal(Number(value));
}

/** The price of an hour of that of a longer span. */
function ofSpan(node: SchemaNode, amount: string, { name, hours }: Span): Reading | null {
  const [whole, value] = [plain(amount), decimal(Number(plain(amount)) / hours)];
  const problem = `is the price of a ${name}, and not of an hour`;
  const advice = `write ${FIELD}"${value}", the price of an hour of ${whole} USD for the ${String(hours)} hours of a ${name}`;
  return accepts(node, value) ? { problem, advice, value } : null;
}

/** The price of an hour of the cost of a whole run; without a value where the object does not say how long it runs. */
function ofRun(node: SchemaNode, amount: string): Reading {
  const { "x-hours": hours } = node;
  const whole = plain(amount);
  const value = decimal(Number(whole) / (hours ?? 1));
  const problem = "is the cost of a run, and not the price of an hour";
  return hours === undefined || !accepts(node, value)
    ? { problem, advice: "divide it by the hours of the run, and write USD per hour, in quotes" }
    : {
        problem,
        value,
        advice: `write ${FIELD}"${value}", the price of an hour of ${whole} USD for ${String(hours)}h`,
      };
}

/** The hours of an object's run; undefined if it does not say them. */
export function hoursIn(spec: unknown): number | undefined {
  const duration = isObject(spec) ? spec["duration"] : undefined;
  const value = typeof duration === "string" ? readDuration(duration)?.value : undefined;
  const seconds = typeof value === "string" ? (parseDuration(value) ?? 0) : 0;
  return seconds > 0 ? seconds / HOUR_SECONDS : undefined;
}

function readAmount(node: SchemaNode, amount: string, unit: string): Reading | null {
  if (unit === "run") return ofRun(node, amount);
  const span = ownValue(SPANS, unit.slice(0, 1).toLowerCase());
  if (span !== undefined) return ofSpan(node, amount, span);
  const value = tidied(node, amount);
  if (!accepts(node, value)) return null;
  const monthly = decimal(Number(value) / (SPANS["m"]?.hours ?? 1));
  if (unit !== "" || Number(value) < HIGH || !accepts(node, monthly)) return surely(value, "is not a plain number");
  const advice = `write ${FIELD}"${value}" for an hour, or ${FIELD}"${monthly}" if it is for a month`;
  return { problem: "is not a plain number", advice, value };
}

const CURRENCY = /[€£¥]|\b(?:eur|euros?|gbp|chf|jpy|sek)\b/gi;

/** The parts of the correction of a price for a longer span. */
const OF_SPAN = /the price of an hour of ([\d.]{1,12}) USD for ((?:the \d{1,5} hours of a \w{3,5})|(?:[\d.]{1,8}h))$/;

/** The price of an hour of one in another currency for a longer span; null for one of an hour. */
function ofOtherSpan(text: string, advice: string, value: string): string | null {
  const [, whole = "", span = ""] = OF_SPAN.exec(advice) ?? [];
  const name = (text.match(CURRENCY)?.[0] ?? "").toUpperCase();
  return whole === ""
    ? null
    : `write USD per hour, in quotes: ${whole} ${name} for ${span} are ${value} ${name} an hour, to be converted to USD`;
}

/** As many USD as of another currency: an example that is near what is meant. */
function sameAmount(node: SchemaNode, text: string): Reading {
  const { value, advice } = readPrice(node, text.replaceAll(CURRENCY, "").replaceAll(/\s+/g, " ").trim()) ?? {};
  const hourly = typeof value === "string" ? ofOtherSpan(text, advice ?? "", value) : null;
  if (hourly !== null) return { advice: hourly };
  return typeof value !== "string" || advice !== undefined
    ? {}
    : { value, advice: `write USD per hour, in quotes, e.g. ${FIELD}"${value}" for as many USD` };
}

/** `$0.12`, `0,12`, `.12`, `12 cents`, `0.12 USD/h`, `90 USD per month`: a price per hour in USD. */
export function readPrice(node: SchemaNode, text: string): Reading | null {
  const trimmed = text.trim();
  if (OTHER_CURRENCY.test(trimmed)) {
    const span = OTHER_SPAN.test(trimmed) ? ", and not for an hour" : "";
    return { problem: `is in another currency than USD${span}`, ...sameAmount(node, trimmed) };
  }
  const [, cents] = CENTS.exec(trimmed) ?? [];
  if (cents !== undefined) return readAmount(node, decimal(Number(cents.replace(",", ".")) / 100), "h");
  const [, amount = "", unit = ""] = PRICE.exec(trimmed) ?? [];
  if (amount === "") return null;
  if (Number(plain(amount)) === 0)
    return {
      problem: "is not more than zero",
      advice: `write USD per hour, in quotes, e.g. ${FIELD}"0.12", or remove the line`,
    };
  return readAmount(node, amount, unit);
}

const SPAN_IN = /(hour|dai?l?y|week|month|year|annual)/i;

/** Names of the cost of all hours. */
const TOTAL = /cost|budget|spend|total/i;

/** An amount with or without a currency, and no span. */
const WHOLE = /^(?:[a-z]{3}|[$€£¥])? ?[\d.,]{1,12} ?(?:[a-z]{3}|[$€£¥]|dollars?|euros?)?$/i;

/** A price whose span its name says, as `maxPricePerMonth: 90`; null for other names. */
export function readPriceOf(node: SchemaNode, name: string, value: unknown): Reading | null {
  const isWhole = TOTAL.test(name) && WHOLE.test(textOf(value));
  const [span] = SPAN_IN.exec(name) ?? (isWhole ? ["run"] : []);
  const text = textOf(value);
  return span === undefined || /[a-z]{3}$/i.test(text.replace(/(?:usd|dollars?)$/i, "").replaceAll(CURRENCY, ""))
    ? null
    : readPrice(node, `${text} per ${span}`);
}

/** `{amount: 30, currency: USD, period: month}` and `{monthly: 500}` as one text; null for other maps. */
export function priceText(map: unknown): string | null {
  if (!isObject(map)) return null;
  const entries = Object.entries(map);
  const [key, amount] = entries.find(([, one]) => /^[\d.,]{1,12}$/.test(textOf(one))) ?? [];
  if (key === undefined) return null;
  const words = [...entries.map(([, one]) => textOf(one)), key];
  const currency = words.find((one) => /^(?:usd|\$)$/i.test(one) || OTHER_CURRENCY.test(one)) ?? "USD";
  const [span = TOTAL.test(key) ? "run" : "hour"] = words.flatMap((one) => SPAN_IN.exec(one)?.[0] ?? []);
  return `${textOf(amount)} ${currency} per ${span}`;
}
