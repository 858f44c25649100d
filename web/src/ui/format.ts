/** A figure that is not known. */
export const UNKNOWN = "–";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A number of things: 10,000. */
export const countText = (count: number): string => whole.format(count);

/** Digits for a figure in a column: two decimals below 10, one below 100. */
export function digits(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return whole.format(value);
  return value.toFixed(size >= 10 ? 1 : 2);
}

/** Grams of CO2 equivalents with their unit: kg from 10,000 g. */
export function gramsText(grams: number): string {
  if (Math.abs(grams) >= 10_000) return `${digits(grams / 1000)} kg CO₂e`;
  return `${digits(grams)} g CO₂e`;
}

export const usdText = (usd: number): string => `${usd.toFixed(usd !== 0 && Math.abs(usd) < 1 ? 4 : 2)} USD`;

const sameDay = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const otherDay = new Intl.DateTimeFormat(undefined, {
  ...{ weekday: "short", day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
});
const otherYear = new Intl.DateTimeFormat(undefined, { day: "2-digit", month: "short", year: "numeric" });

/** A time in the viewer's zone, as short as it is clear: 14:30, Sat 21 Nov 14:30, 01 Jan 2035. */
export function timeText(time: Date, now: Date): string {
  if (time.toDateString() === now.toDateString()) return sameDay.format(time);
  if (time.getFullYear() === now.getFullYear()) return otherDay.format(time).replaceAll(",", "");
  return otherYear.format(time);
}

/** The name of the viewer's zone, e.g. Europe/Rome. */
export const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const UNITS = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
] as const;

/** 3 d 4 h, 5 h 12 min, 40 s. */
function lengthText(seconds: number): string {
  const at = UNITS.findIndex(([, size]) => seconds >= size);
  const [unit, size] = UNITS[at] ?? ["s", 1];
  const main = `${String(Math.floor(seconds / size))} ${unit}`;
  const [smaller, part] = UNITS[at + 1] ?? ["", 0];
  const rest = at < 0 || part === 0 ? 0 : Math.floor((seconds % size) / part);
  return rest === 0 ? main : `${main} ${String(rest)} ${smaller}`;
}

/** in 5 h, 2 d ago. */
export function relativeText(time: Date, now: Date): string {
  const seconds = Math.round((time.getTime() - now.getTime()) / 1000);
  return seconds >= 0 ? `in ${lengthText(seconds)}` : `${lengthText(-seconds)} ago`;
}
