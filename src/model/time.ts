import { table } from "./table.ts";

export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 86_400;
export const WEEK_SECONDS = 604_800;
export const DAY_HOURS = 24;
export const WEEK_HOURS = 168;
export const HOUR_MS = 3_600_000;

/** Now, in whole seconds since 1970, by this machine's clock. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const UNIT_SECONDS: Record<string, number> = table({
  w: WEEK_SECONDS,
  d: DAY_SECONDS,
  h: HOUR_SECONDS,
  m: MINUTE_SECONDS,
  s: 1,
});
const SHORT = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/;
const ISO = /^P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/;

/** Seconds of `3h`, `90m`, `1d12h` or an ISO 8601 duration without years and months; null for anything else and for zero. */
export function parseDuration(text: string): number | null {
  const short = SHORT.exec(text);
  const iso = short ? null : ISO.exec(text);
  const units = short ? ["d", "h", "m", "s"] : ["w", "d", "h", "m", "s"];
  const parts = short ?? iso;
  if (!parts || text.endsWith("T")) return null;
  const seconds = units.reduce(
    (sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * (UNIT_SECONDS[unit] ?? 0),
    0,
  );
  return seconds > 0 ? seconds : null;
}

/** Seconds of a limit of waiting, which may be zero (`0h`); null for anything else that `parseDuration` refuses. */
export const parseWait = (text: string | null): number | null =>
  text === null ? null : /^0[dhms]$/.test(text) ? 0 : parseDuration(text);

/** 5400 -> 1h30m, the notation of a spec; 0 -> 0h. */
export function durationText(seconds: number): string {
  const parts = [Math.floor(seconds / HOUR_SECONDS), Math.floor((seconds % HOUR_SECONDS) / 60), seconds % 60];
  return parts.map((part, index) => (part === 0 ? "" : `${String(part)}${"hms"[index] ?? ""}`)).join("") || "0h";
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
/** 0 for an invalid month. */
const daysIn = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0));

/** Seconds since 1970 of an RFC 3339 time, fractions dropped; null for anything else, including 30 February. */
export function parseTime(text: string): number | null {
  const parts = RFC3339.exec(text);
  if (!parts) return null;
  const [, year, month, day, hour, minute, second] = parts;
  if (Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month))) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000);
}

/** The same of any value; null for one that is not a text. */
export const readTime = (value: unknown): number | null => (typeof value === "string" ? parseTime(value) : null);

const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"));
// The times of decisions are on few days, and the calendar is the slowest part: the last one of each of so many slots is kept.
const DAYS_KEPT = 16;
const lastDays = new Map<number, { day: number; date: string }>();

function dateOf(day: number): string {
  const slot = day % DAYS_KEPT;
  const known = lastDays.get(slot);
  if (known?.day === day) return known.date;
  const date = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, -14);
  lastDays.set(slot, { day, date });
  return date;
}

/** RFC 3339 has four digits for a year: the times of the years 0 to 9999. */
const [FIRST_SECONDS, LAST_SECONDS] = [-62_167_219_200, 253_402_300_799];

/** RFC 3339 in UTC, whole seconds. Never throws: times outside the years 0 to 9999 become the nearest one, and NaN becomes 1970. */
export function formatTime(epochSeconds: number): string {
  const seconds = Math.floor(Math.min(Math.max(epochSeconds, FIRST_SECONDS), LAST_SECONDS)) || 0;
  const day = Math.floor(seconds / DAY_SECONDS);
  const ofDay = seconds - day * DAY_SECONDS;
  const part = (value: number): string => TWO_DIGITS[value] ?? "";
  const minutes = Math.floor(ofDay / MINUTE_SECONDS);
  return `${dateOf(day)}T${part(Math.floor(minutes / 60))}:${part(minutes % 60)}:${part(ofDay % 60)}Z`;
}

/** Hour of the week in UTC, 0 = Monday 00:00. */
export function hourOfWeek(epochSeconds: number): number {
  // 1970-01-01 was a Thursday: three days into the week.
  return (Math.floor(epochSeconds / HOUR_SECONDS) + 72) % WEEK_HOURS;
}

/** 3 d 4 h, 5 h 12 min, 40 s: rounded down to two units for people. `seconds` is a positive integer. */
export function inWords(seconds: number): string {
  const [days, hours] = [Math.floor(seconds / DAY_SECONDS), Math.floor((seconds % DAY_SECONDS) / HOUR_SECONDS)];
  const minutes = Math.floor((seconds % HOUR_SECONDS) / 60);
  const join = (large: string, count: number, unit: string): string =>
    count === 0 ? large : `${large} ${String(count)} ${unit}`;
  if (days > 0) return join(`${String(days)} d`, hours, "h");
  if (hours > 0) return join(`${String(hours)} h`, minutes, "min");
  return minutes > 0 ? `${String(minutes)} min` : `${String(seconds)} s`;
}

/** The same with the offset of another time of RFC 3339: a person compares times of one zone. */
export function formatTimeLike(epochSeconds: number, like: string): string {
  const [, sign, hours = "0", minutes = "0"] = /([+-])(\d{2}):(\d{2})$/.exec(like) ?? [];
  if (sign === undefined) return formatTime(epochSeconds);
  const ahead = (Number(hours) * HOUR_SECONDS + Number(minutes) * 60) * (sign === "-" ? -1 : 1);
  return `${formatTime(epochSeconds + ahead).slice(0, -1)}${sign}${hours}:${minutes}`;
}
