import { ownValue } from "../../json.ts";
import { table } from "../../table.ts";
import { DAY_SECONDS, formatTime, formatTimeLike, HOUR_SECONDS, MINUTE_SECONDS, parseDuration } from "../../time.ts";
import { offsetOf, offsetSeconds } from "./zones.ts";
import { readDuration, waitIn } from "./read-time.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Least and greatest number of a field of cron, and the names of its numbers. */
type CronField = readonly [least: number, most: number, names?: readonly string[]];
/** Minute, hour, day of the month, month and weekday; both 0 and 7 are Sunday. */
const FIELDS: readonly CronField[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12, ["", ...MONTHS]],
  [0, 7, WEEKDAYS],
];

/** A number in digits or by its name; not a number for another text. */
function numberOf(text: string, names: readonly string[] = []): number {
  const named = names.indexOf(text.toLowerCase());
  return named < 0 ? Number(text === "" ? Number.NaN : text) : named;
}

/** First and last number, and the step: `1-5`, `0/15`, `mon`. */
function rangeIn(part: string, [least, most, names]: CronField): readonly [first: number, last: number, by: number] {
  const [, from = "", to, step] = /^(\*|\w{1,3})(?:-(\w{1,3}))?(?:\/(\d{1,2}))?$/.exec(part) ?? [];
  if (from === "*") return [least, most, Number(step ?? 1)];
  const first = numberOf(from, names);
  const last = to === undefined ? first : numberOf(to, names);
  return [first, to === undefined && step !== undefined ? most : last, Number(step ?? 1)];
}

/** The numbers of a field, such as `1-5`, `0/15` and `mon,fri`; null for another text. */
function numbersIn(text: string, field: CronField): number[] | null {
  const [least, most] = field;
  const ranges = text.split(",").map((part) => rangeIn(part, field));
  const isValid = ranges.every(([first, last, by]) => by > 0 && first >= least && last <= most && first <= last);
  if (text === "" || !isValid) return null;
  return ranges.flatMap(([first, last, by]) =>
    Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, index) => first + index * by),
  );
}

/** The days on which a schedule of cron begins, as numbers. */
interface Days {
  days: readonly number[];
  months: readonly number[];
  weekdays: readonly number[];
  /** Whether a day of the month or of the week is enough: a schedule that names both. */
  isEither: boolean;
}

function isDay(day: Date, { days, months, weekdays, isEither }: Days): boolean {
  if (!months.includes(day.getUTCMonth() + 1)) return false;
  const inMonth = days.includes(day.getUTCDate());
  const weekday = day.getUTCDay();
  const inWeek = weekdays.includes(weekday) || (weekday === 0 && weekdays.includes(7));
  return isEither ? inMonth || inWeek : inMonth && inWeek;
}

/** Short names of schedules. */
const NAMED: Readonly<Record<string, string>> = table({
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
});

/** The times of a day, in seconds, and the days of a schedule; null for another text. */
function scheduleIn(text: string): { times: number[]; days: Days } | null {
  const fields = (ownValue(NAMED, text.trim().toLowerCase()) ?? text.trim()).split(/\s{1,4}/);
  const read = FIELDS.map((field, index) => numbersIn(fields[index] ?? "", field) ?? []);
  if (fields.length !== FIELDS.length || read.some((numbers) => numbers.length === 0)) return null;
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = read;
  const times = hours.flatMap((one) => minutes.map((other) => one * HOUR_SECONDS + other * MINUTE_SECONDS));
  const isEither = [fields[2], fields[4]].every((field) => field?.startsWith("*") === false);
  return { times, days: { days, months, weekdays, isEither } };
}

/** Beyond a leap year's 29 February, also around 2100. */
const MOST_DAYS = 8 * 366;

/** The first time after `now`, in seconds since 1970, of a schedule of cron in UTC; null for another text, and for a schedule without any. */
function nextOfCron(text: string, now: number): number | null {
  const schedule = scheduleIn(text);
  if (schedule === null) return null;
  const midnight = Math.floor(now / DAY_SECONDS) * DAY_SECONDS;
  for (let index = 0; index < MOST_DAYS; index += 1) {
    const start = midnight + index * DAY_SECONDS;
    // The days first: a day has up to 1,440 times, and some schedules have no day at all.
    if (!isDay(new Date(start * 1000), schedule.days)) continue;
    const next = schedule.times.map((seconds) => start + seconds).filter((seconds) => seconds > now);
    if (next.length > 0) return Math.min(...next);
  }
  return null;
}

/** A time that stands for words which need a clock. */
export interface NextTime {
  seconds: number;
  /** `2026-12-01T02:30:00+01:00` */
  text: string;
  /** `the next time of this schedule` */
  what: string;
}

const WEEK_DAYS = 7;

const CLOCK = /^(\d{1,2})(?::(\d{2}))?(?::\d{2})? ?([ap]m)?$/i;

/** `18:00`, `8am` as seconds of a day; null for another text. */
function clockIn(text: string): number | null {
  const [, hour = "", minutes, half] = CLOCK.exec(text.trim()) ?? [];
  if (hour === "" || (minutes ?? half) === undefined) return null;
  const whole = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
  return whole > 23 ? null : whole * HOUR_SECONDS + Number(minutes ?? 0) * MINUTE_SECONDS;
}

const WORDS =
  /^(today|tomorrow|next week|heute|oggi|aujourd'hui|morgen|domani|demain|mañana|(?:next )?(sun|mon|tue|wed|thu|fri|sat)[a-z]{0,6})(?: (.{1,10}))?$/i;

/** Days from today to the day of words, and how many until the next such day. */
function daysTo(word: string, weekday: string | undefined, now: number): readonly [days: number, again: number] {
  if (/^(?:tomorrow|morgen|domani|demain|mañana)/i.test(word)) return [1, 1];
  if (/week$/i.test(word)) return [WEEK_DAYS, 1];
  if (weekday === undefined) return [0, 1];
  const ahead = WEEKDAYS.indexOf(weekday.toLowerCase()) - new Date(now * 1000).getUTCDay();
  return [(ahead + WEEK_DAYS) % WEEK_DAYS, WEEK_DAYS];
}

/** `tomorrow 8am`, `next friday 18:00`: a day from now and a time of it in UTC, by default the hour after this one. Null for other words. */
function inWords(text: string, now: number): number | null {
  const [, word, weekday, rest] = WORDS.exec(text.trim()) ?? [];
  const midnight = Math.floor(now / DAY_SECONDS) * DAY_SECONDS;
  const clock = rest === undefined ? Math.ceil((now - midnight) / HOUR_SECONDS) * HOUR_SECONDS : clockIn(rest);
  if (word === undefined || clock === null) return null;
  const [days, again] = daysTo(word, weekday, now);
  const at = midnight + days * DAY_SECONDS + clock;
  return at > now ? at : at + again * DAY_SECONDS;
}

/** `+24h`, `in 2 hours`, `90m`: that long from now, at the next whole minute. */
function afterWait(text: string, now: number): number | null {
  const read = readDuration(waitIn(text));
  const seconds = typeof read?.value === "string" ? parseDuration(read.value) : null;
  return seconds === null ? null : Math.ceil((now + seconds) / MINUTE_SECONDS) * MINUTE_SECONDS;
}

/** A time of day again, on the first day on which it is not before another time. */
const notBefore = (seconds: number, least: number): number =>
  seconds + Math.max(0, Math.ceil((least - seconds) / DAY_SECONDS)) * DAY_SECONDS;

/** The time that a schedule of cron, a time of day, a wait or words like `tomorrow 18:00` stand for now, in UTC or another zone; null for other texts. A time of day has no day: it is not before `least`. */
export function nextTime(text: string, utc: number, zone = "UTC", least = utc): NextTime | null {
  const offsetAt = (local: number): string => offsetOf(zone, formatTime(local).slice(0, -1)) ?? "Z";
  const now = utc + offsetSeconds(offsetAt(utc));
  const clock = clockIn(text);
  const today = clock === null ? null : inWords(`today ${text.trim()}`, now);
  const ofDay = today === null ? null : notBefore(today, least + now - utc);
  const found: readonly (readonly [number | null, string])[] = [
    [nextOfCron(text, now), "the next time of this schedule"],
    [ofDay, ofDay === today ? "the next such time" : "the next such time after the run"],
    [afterWait(text, now), "that long from now"],
    [inWords(text, now), "that time"],
  ];
  const [seconds, what] = found.find(([one]) => one !== null) ?? [null, ""];
  if (seconds === null) return null;
  const offset = offsetAt(seconds);
  const at = seconds - offsetSeconds(offset);
  return { seconds: at, text: formatTimeLike(at, offset), what: `${what} in ${zone}` };
}

const WINDOW = /(?<![\d:T.-])(\d{1,2}:\d{2})(?:\D{1,20})(\d{1,2}:\d{2})(?![\d:])/;

/** The two times of day of `22:00-06:00`, `22:00 to 06:00` and `{start: "22:00", end: "06:00"}`; null for other texts. */
export function windowIn(text: string): readonly [start: string, end: string] | null {
  const [, start, end] = WINDOW.exec(text) ?? [];
  return start === undefined || end === undefined ? null : [start, end];
}
