import { table } from "../../table.ts";
import { accepts, FIELD, type Reading, type SchemaNode, surely } from "../schema-node.ts";

const AMOUNT = String.raw`(\d{0,6}(?:[.,]\d{1,6})?|\d{1,6}[.,])`;
const PRICE = new RegExp(
  String.raw`^(?:usd|us\$|\$)? ?${AMOUNT} ?(?:usd|us\$|\$|dollars?)?(?: ?(?:\/|per|an?) ?(h|hr|hour|d|day|mo|month|y|yr|year))?$`,
  "i",
);
/** Hours by the first letter of a unit; of a month as the platform's quotas count them. */
const HOURS: Readonly<Record<string, number>> = table({ d: 24, m: 730, y: 8760 });

const CENTS = /^(\d{1,5}(?:[.,]\d{1,3})?) ?(?:ct|cts|cents?|¢)(?: ?(?:\/|per|an?) ?h(?:r|our)?)?$/i;
const OTHER_CURRENCY = /[€£¥]|\b(?:eur|euros?|gbp|chf|jpy|sek)\b/i;

const OTHER_SPAN = /\b(?:day|month|year|d|mo|m|y|yr)\b/i;

const MICRO = 1e6;

/** As few digits as the number needs: 0.5 of `.5`, and 5 of `5.`. At most six, and none that is more than the amount: it is a maximum. */
const decimal = (amount: number): string => String(Math.floor(Number((amount * MICRO).toFixed(3))) / MICRO);

/** `0.50` stays as it is; `.5` and `5.` are not numbers to all. */
function tidied(node: SchemaNode, amount: string): string {
  const value = amount.replace(",", ".");
  return accepts(node, value) ? value : decimal(Number(value));
}

function readAmount(node: SchemaNode, amount: string, unit: string): Reading | null {
  const hours = HOURS[unit.slice(0, 1).toLowerCase()];
  if (hours !== undefined) {
    const hourly = decimal(Number(amount.replace(",", ".")) / hours);
    return accepts(node, hourly) ? { problem: "is not a price of an hour", value: hourly } : null;
  }
  const value = tidied(node, amount);
  return accepts(node, value) ? surely(value, "is not a plain number") : null;
}

/** `$0.12`, `0,12`, `.12`, `12 cents`, `0.12 USD/h`, `90 USD per month`: a price per hour in USD. */
export function readPrice(node: SchemaNode, text: string): Reading | null {
  const trimmed = text.trim();
  if (OTHER_CURRENCY.test(trimmed)) {
    const span = OTHER_SPAN.test(trimmed) ? ", and not for an hour" : "";
    return { problem: `is in another currency than USD${span}` };
  }
  const [, cents] = CENTS.exec(trimmed) ?? [];
  if (cents !== undefined) return readAmount(node, decimal(Number(cents.replace(",", ".")) / 100), "");
  const [, amount = "", unit = ""] = PRICE.exec(trimmed) ?? [];
  if (amount === "") return null;
  if (Number(amount.replace(",", ".")) === 0)
    return {
      problem: "is not more than zero",
      advice: `write USD per hour, in quotes, e.g. ${FIELD}"0.12", or remove the line`,
    };
  return readAmount(node, amount, unit);
}
