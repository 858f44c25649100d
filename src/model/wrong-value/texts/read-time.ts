import { durationText, formatTime, HOUR_SECONDS, parseDuration, parseTime } from "../../time.ts";
import { FIELD, type Reading } from "../schema-node.ts";
import { ownValue } from "../../json.ts";
import { table } from "../../table.ts";
import { offsetOf } from "./zones.ts";
import { type CalendarTime, dayOf, readCalendar } from "./read-calendar.ts";

const HOURS: Readonly<Record<string, number>> = table({ w: 168, d: 24, h: 1, m: 1 / 60, s: 1 / 3600 });

/** Hours of a unit, in letters or as a word. */
const hoursOf = (unit: string): number => (/^(?:ms|milli)/.test(unit) ? 1 / 3_600_000 : (HOURS[unit.slice(0, 1)] ?? 0));

/** A number and a unit, as words or letters. */
const PART =
  /(\d{1,10}(?:[.,]\d{1,4})?) {0,2}(weeks?|days?|hours?|hrs?|minutes?|mins?|milliseconds?|millis|ms|seconds?|secs?|[wdhms])(?![a-z])/g;

/** Words of other languages for the units of a time. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/wochen?|semaines?|settiman[ae]|semanas?|weken/g, "weeks"],
  [/tage?n?|jours?|giorn[oi]|d[ií]as?|dag(?:en)?/g, "days"],
  [/stunden?|std|heures?|or[ae]|horas?|uur|uren/g, "hours"],
  [/minuten|minut[oi]|minutos?/g, "minutes"],
  [/sekunden?|second[oi]|secondes?|segundos?/g, "seconds"],
];

/** `3 Stunden` and `2 heures` as `3 hours` and `2 hours`. */
const inEnglish = (text: string): string =>
  FOREIGN.reduce(
    (one, [words, unit]) => one.replaceAll(new RegExp(`(?<=\\d ?)(?:${words.source})(?![a-z])`, "g"), unit),
    text,
  ).replaceAll(/ (?:und|et|e|y|en) (?=\d)/g, " and ");

/** Days of a month, a quarter and a year, as far as a duration can say them. */
const DAYS: Readonly<Record<string, number>> = table({ m: 30, q: 91, y: 365 });

/** `3 months` and `P1Y` in days; without a number, the units that there are. */
function inDays(text: string): string {
  const [, number = "", unit = ""] = /(\d{1,4})\s{0,2}(m|q|y)/i.exec(text) ?? [];
  const days = Number(number) * (ownValue(DAYS, unit.toLowerCase()) ?? 0);
  // No duration is longer than this.
  if (days === 0 || days > 366) return "write hours or days";
  const minutes = /^p?\d+m$/i.test(text.trim()) ? `, or ${FIELD}${number}m for minutes` : "";
  return `write ${FIELD}${String(days)}d${minutes}`;
}

const NOT_POSITIVE: Reading = { problem: "is not more than zero" };

/** `0`, `0 hours`, `PT0S`. */
const ZERO = /^p?t?(?:0{1,6}(?:[.,]0{1,4})? ?[a-z]{0,8})$/;

/** `3 hours`, `1.5h`, `90 min`, `2w`, `3H`: a duration of a spec. Null if it is none. `takesZero`: whether the field takes `0h`. */
export function readDuration(text: string, takesZero = false, units: Units = ["h", "m"]): Reading | null {
  if (ZERO.test(text.trim().toLowerCase())) return takesZero ? { value: "0h", sure: true } : NOT_POSITIVE;
  const bare = /^\d{1,9}$/.test(text.trim());
  return bare ? { problem: "has no unit", advice: withUnit(text.trim(), units) } : readLength(text);
}

function readLength(text: string): Reading | null {
  const wanted = inEnglish(text.trim().toLowerCase());
  const parts = [...wanted.matchAll(PART)].map(([, amount = "", unit = ""]) => ({ amount, unit }));
  // P1M is a month and PT1M a minute; 1M can mean both.
  if (/month|year|quarter|^\d+ ?mon?s?$|^p?\d+y|^p\d+m/.test(wanted) || /^\d+M$/.test(text.trim()))
    return { problem: "has no fixed length", advice: inDays(text) };
  const rest = wanted.replaceAll(PART, "").replaceAll(/\s|,|and|\+/g, "");
  const last = parts.at(-1);
  if (last === undefined || rest !== "") return readLastBare(wanted, rest, last?.unit ?? "") ?? readBare(wanted);
  return lengthOf(parts);
}

function lengthOf(parts: readonly { amount: string; unit: string }[]): Reading {
  const hours = parts.reduce((sum, { amount, unit }) => sum + Number(amount.replace(",", ".")) * hoursOf(unit), 0);
  const value = durationText(Math.round(hours * 3600));
  return parseDuration(value) === null ? NOT_POSITIVE : { value, sure: true };
}

/** `2d12`: a number at the end, which probably counts the next smaller unit. Null for others. */
function readLastBare(text: string, rest: string, unit: string): Reading | null {
  const next = ownValue(SMALLER, unit.slice(0, 1));
  const isLast = /^\d{1,3}$/.test(rest) && text.endsWith(rest);
  const found = next === undefined || !isLast ? null : readLength(text + next);
  return found === null ? null : { ...found, sure: false };
}
const SMALLER: Readonly<Record<string, string>> = table({ w: "d", d: "h", h: "m", m: "s" });

/** The units that a number without one can mean, the likelier first. */
export type Units = readonly (keyof typeof UNIT_NAMES)[];

const UNIT_NAMES = { d: "days", h: "hours", m: "minutes", s: "seconds" } as const;

/** 24 and more are hours, where days can be meant as well. */
const likelier = (text: string, units: Units): Units =>
  units[0] === "d" && Number(text) >= 24 ? units.toReversed() : units;

/** A large number counts seconds, as in other tools: hours of this number are years. */
const withUnit = (text: string, units: Units = ["h", "m"]): string =>
  Number(text) >= HOUR_SECONDS && parseDuration(durationText(Number(text))) !== null
    ? `write ${durationText(Number(text))} if it counts seconds, or ${text}m for minutes`
    : `write ${likelier(text, units)
        .map((unit) => `${text}${unit} for ${UNIT_NAMES[unit]}`)
        .join(" or ")}`;

/** `02:30:00`, `3h30`, and `1-12:30:00` of Slurm, which begins with days; null for others. */
function readClock(text: string): Reading | null {
  const [, days = "0", hours, minutes = "0"] =
    /^(?:pt)?(?:(\d{1,3})-(?=\d))?(\d{1,4})(?:[:h](\d{1,2}))?(?::\d{2})?$/.exec(text) ?? [];
  if (hours === undefined) return null;
  return { value: durationText((Number(days) * 24 + Number(hours)) * 3600 + Number(minutes) * 60) };
}

function readBare(text: string): Reading | null {
  if (/^-/.test(text)) return NOT_POSITIVE;
  if (/^\d+$/.test(text)) return { problem: "has no unit", advice: withUnit(text) };
  const clock = readClock(text);
  if (clock !== null) return clock;
  // A fraction of ISO 8601, which is read without the letters.
  if (/^pt?\d+[.,]\d+[dhms]$/.test(text)) return readLength(text.replace(/^pt?/, ""));
  const iso = /^p(\d+[hms].*)$/.exec(text)?.[1];
  const value = iso === undefined ? "" : `PT${iso.toUpperCase()}`;
  return parseDuration(value) === null ? null : { value };
}

/** A place names one zone, and letters can name several: CST is used in America and in China. */
const withNamedZone = (at: string, zone: string): Reading => ({
  problem: zone.includes("/") ? "names its zone by a place" : "names its zone in letters, which can mean several",
  advice: `write its offset instead, e.g. ${at}${offsetOf(zone, at) ?? "+01:00"}`,
});

const offset = (zone: string): string => (/^[+-]/.test(zone) ? zone.replace(/^(.\d{2}):?(\d{2})$/, "$1:$2") : "Z");

/** The part that a text lacks to be a time of RFC 3339. `near`: the zone that the object names next to it. */
export function readTime(text: string, near?: string): Reading | null {
  if (/^\d{9,13}$/.test(text)) return readEpoch(Number(text));
  if (/^(?:now|asap|immediately)$/i.test(text.trim()))
    return { problem: "is not a time", advice: "omit the field to start now" };
  const found = readCalendar(text);
  if (found === null) return readOther(text.trim());
  const read = readDate(found, near);
  return read === NO_DAY ? (swapped(text) ?? read) : read;
}

/** `2026-31-12T18:00:00Z`, in which month and day changed places. */
function swapped(text: string): Reading | null {
  const value = text.trim().replace(/^(\d{4})-(\d{2})-(\d{2})(?=T)/, "$1-$3-$2");
  return parseTime(value) === null ? null : { ...NO_DAY, value };
}

/** `18:00`, `6 pm`, `03:30:00`. */
const CLOCK = /^(?:\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?|\d{1,2} ?[ap]m)$/i;
/** `0 3 * * *`, `@daily`. */
const CRON = /^(?:@[a-z]{3,10}|[\d*][\d*,/-]{0,20}(?: {1,4}[\d*,/A-Za-z-]{1,20}){4})$/;

/** The duration in `+24h`, `in 2 hours`, `now + 2d` and `3 hours from now`. */
export const waitIn = (text: string): string =>
  text
    .trim()
    .replace(/^now ?(?=\+)/i, "")
    .replace(/^\+ ?|^(?:in|fra|tra|dans) /i, "")
    .replace(/ from now$/i, "");

function readOther(text: string): Reading | null {
  if (CLOCK.test(text)) return { problem: "is a time of day without its date" };
  if (CRON.test(text)) return { problem: "is a schedule of cron, and an object starts once" };
  const wait = readDuration(waitIn(text));
  if (wait?.value !== undefined)
    return { problem: "is a duration and not a time", advice: fromNow(inWords(wait.value as string)) };
  if (wait !== null) return { problem: "is a duration and not a time" };
  return RELATIVE.test(text) ? { problem: "is a time relative to now", advice: fromNow(text.toLowerCase()) } : null;
}

/** Words that GNU date reads as a time, and those of other languages for them. */
const RELATIVE =
  /^(?:today|heute|oggi|aujourd'hui|tomorrow|morgen|domani|demain|mañana|(?:next )?(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|next (?:day|week|month))(?: \d{1,2}(?::\d{2}(?: ?[ap]m)?| ?[ap]m))?$/i;

/** An object holds a time that stays: nothing here reads a clock. */
const fromNow = (words: string): string =>
  `write the time itself, as printed by date -u -d ${JSON.stringify(words)} +%Y-%m-%dT%H:%M:%SZ`;

/** `90m` as `+90 minutes`. */
function inWords(duration: string): string {
  const minutes = (parseDuration(duration) ?? 0) / 60;
  return minutes % 60 === 0 ? `+${String(minutes / 60)} hours` : `+${String(Math.ceil(minutes))} minutes`;
}

/** `2026-12-05` as `5 December`. */
const dayInWords = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

/** Day and month can change places: `12/05/2026` is a day in May or in December. The later one is first: the other may be over. */
function twoDays(times: readonly string[], zone: string): Reading {
  const [later = "", earlier = ""] = times.toSorted().toReversed();
  const [day, otherDay] = [later, earlier].map((time) => dayInWords(time.slice(0, 10)));
  const utc = zone === "" ? "; Z is UTC, and other offsets are such as +01:00" : "";
  const advice = `write ${FIELD}${later} if ${day} is meant, and not ${otherDay} (${earlier})${utc}`;
  return { problem: "can be two days: it does not say which number is the month", advice };
}

const NO_DAY: Reading = { problem: "is not a day and time of the calendar" };
/** Words for UTC, and offsets from it. */
const OFFSET = /^(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i;

function readDate({ days, clock, zone }: CalendarTime, near?: string): Reading {
  const times = days.map((day) => `${day}T${clock ?? "18:00:00"}`);
  const isNamed = !OFFSET.test(zone);
  const values = times.map((at) => `${at}${offset(isNamed || zone === "" ? "Z" : zone)}`);
  const valid = values.filter((value) => parseTime(value) !== null);
  const [value, other] = valid;
  if (value === undefined) return NO_DAY;
  if (other !== undefined) return twoDays(valid, isNamed ? "" : zone);
  const at = value.slice(0, "2026-12-05T18:00:00".length);
  if (isNamed) return withNamedZone(at, zone);
  if (zone === "" && near !== undefined) return inZone(at, near, clock !== undefined);
  if (clock === undefined) return { problem: "has no time and no zone", value };
  if (zone !== "") return { value, sure: true };
  const advice = `write ${value} for UTC, or with another offset, e.g. ${at}+01:00`;
  return { problem: "has no zone", value, advice };
}

/** A time without a zone next to the name of one. */
function inZone(at: string, zone: string, hasClock: boolean): Reading {
  const value = at + (offsetOf(zone, at) ?? "Z");
  return hasClock
    ? { problem: "has no zone", value, advice: `write ${FIELD}${value}, with the offset of ${zone}` }
    : { problem: "has no time and no zone", value };
}

/** Seconds or milliseconds since 1970. */
export function readEpoch(number: number): Reading | null {
  const seconds = number > 1e11 ? number / 1000 : number;
  const unit = number > 1e11 ? "milliseconds" : "seconds";
  return seconds < 1e9 ? null : { problem: `is a number of ${unit}`, value: formatTime(seconds), sure: true };
}

/** A day that settings end on: `31.12.2026`, `2026-12-31 18:00`. */
export function readDay(text: string): Reading | null {
  const problem = "is not a day as year-month-day, nor a time in UTC";
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?$/.exec(text.trim()) ?? [];
  if (year !== undefined) return { problem, value: dayOf(year, month, day) };
  const [, first, second, last] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text.trim()) ?? [];
  if (last === undefined) return { problem };
  // The American order only where the other one cannot be: 12/31/2026.
  const [at, of] = Number(second) > 12 ? [second, first] : [first, second];
  const value = dayOf(last, of, at);
  return parseTime(`${value}T00:00:00Z`) === null ? { problem } : { problem, value };
}
