import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, parseDuration } from "../../time.ts";
import { nextOfCron, WEEKDAYS } from "./next-of-cron.ts";
import { readDuration } from "./read-time.ts";

/** A time that stands for words which need a clock. */
export interface NextTime {
  seconds: number;
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

const WORDS = /^(today|tomorrow|next week|(?:next )?(sun|mon|tue|wed|thu|fri|sat)[a-z]{0,6})(?: (.{1,10}))?$/i;

/** Days from today to the day of words, and how many until the next such day. */
function daysTo(word: string, weekday: string | undefined, now: number): readonly [days: number, again: number] {
  if (/^tomorrow/i.test(word)) return [1, 1];
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
  const read = readDuration(
    text
      .trim()
      .replace(/^\+ ?|^in /i, "")
      .replace(/ from now$/i, ""),
  );
  const seconds = typeof read?.value === "string" ? parseDuration(read.value) : null;
  return seconds === null ? null : Math.ceil((now + seconds) / MINUTE_SECONDS) * MINUTE_SECONDS;
}

/** The time that a schedule of cron, a time of day, a wait or words like `tomorrow 18:00` stand for now, in UTC; null for other texts. */
export function nextTime(text: string, now: number): NextTime | null {
  const clock = clockIn(text);
  const ofDay = clock === null ? null : inWords(`today ${text.trim()}`, now);
  const found: readonly (readonly [number | null, string])[] = [
    [nextOfCron(text, now), "the next time of this schedule"],
    [ofDay, "the next such time"],
    [afterWait(text, now), "that long from now"],
    [inWords(text, now), "that time"],
  ];
  const [seconds, what] = found.find(([one]) => one !== null) ?? [null, ""];
  return seconds === null ? null : { seconds, what: `${what} in UTC` };
}
