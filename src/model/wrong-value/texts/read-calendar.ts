/** A day and a time of day in some notation. */
export interface CalendarTime {
  /** `2026-12-05`; two if day and month can change places. */
  days: string[];
  /** `18:00:00`; omitted where the text has none. */
  clock?: string;
  /** `Z`, `UTC`, `+0100`, or letters that name a zone; empty for none. */
  zone: string;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Languages in which people write dates, besides English. */
const LANGUAGES: readonly string[] = ["de", "fr", "it", "es", "nl", "pt"];

let foreign: readonly (readonly string[])[] | undefined;

/** The names of months in these languages, without accents. */
const foreignMonths = (): readonly (readonly string[])[] =>
  (foreign ??= LANGUAGES.map((language) => {
    const format = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" });
    return MONTHS.map((_name, index) => plain(format.format(new Date(Date.UTC(2026, index, 15)))));
  }));

const plain = (word: string): string =>
  word
    .normalize("NFD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase();

/** A name of a month, also in whole, as its number; 0 for another word. */
function monthOf(name: string): number {
  const own = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  if (own > 0) return own;
  const found = foreignMonths().map((months) => months.findIndex((month) => month.startsWith(plain(name))));
  return (found.find((index) => index >= 0) ?? -1) + 1;
}

/** `2026`, `12` and `5` as `2026-12-05`; of two digits, a year is one of this century. */
export function dayOf(year: string | number, month: string | number = "", day: string | number = ""): string {
  const [whole, ...parts] = [year, month, day].map((one) => String(one).padStart(2, "0"));
  return [String(whole).length === 2 ? `20${String(whole)}` : whole, ...parts].join("-");
}

const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? {1,4}(?=[\da-z])/i;
/** `20261205T180000Z` */
const COMPACT = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})/;
/** `Dec  5 18:00:00 UTC 2026`, as `date` prints it. */
const PRINTED = /^([a-z]{3}) {1,2}(\d{1,2}) (\d{2}:\d{2}:\d{2}) (?:([a-z]{1,5}|[+-]\d{4}) )?(\d{4})$/i;

/** `18:00 Uhr`, `ore 18:00`, `um 18:00`, `18h00` */
const CLOCK_WORD = /(?<= )(?:ore |alle |um |à |a las )?(\d{1,2})(?::|h)(\d{2})(?: ?(?:uhr|h))?(?![\d:])/i;

const YEAR_FIRST = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/;
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/;
const DAY_NAME = /^(\d{1,2})(?:st|nd|rd|th|\.)?[ -](?:of |de )?([a-zà-ÿ]{3,10})\.?,?[ -](?:de )?(\d{4})(?!\d)/i;
const NAME_DAY = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/i;

/** The days that numbers can mean: with dots, as in Europe, the day is first; with others, day and month may change places. */
function daysOf(first: string, sign: string, second: string, year: string): string[] {
  const european = dayOf(year, second, first);
  const american = dayOf(year, first, second);
  if (sign === "." || Number(first) > 12) return [european];
  return Number(second) > 12 || first === second ? [american] : [american, european];
}

/** A day whose month is a word; empty for another word. */
const ofWord = (day: string, word: string, year: string): string[] =>
  monthOf(word) === 0 ? [] : [dayOf(year, monthOf(word), day)];

/** The notations of a day, with the days that each can mean. */
const NOTATIONS: readonly (readonly [RegExp, (...parts: string[]) => string[]])[] = [
  [YEAR_FIRST, (year = "", month, day) => [dayOf(year, month, day)]],
  [YEAR_LAST, (first = "", sign = "", second = "", year = "") => daysOf(first, sign, second, year)],
  [DAY_NAME, (day = "", word = "", year = "") => ofWord(day, word, year)],
  [NAME_DAY, (word = "", day = "", year = "") => ofWord(day, word, year)],
];

/** The days at the beginning of a text, and the rest of it. */
function dateIn(text: string): [days: string[], rest: string] | null {
  for (const [notation, daysIn] of NOTATIONS) {
    const [whole, ...parts] = notation.exec(text) ?? [];
    const days = whole === undefined ? [] : daysIn(...parts);
    if (whole !== undefined && days.length > 0) return [days, text.slice(whole.length)];
  }
  return null;
}

const CLOCK =
  /^(?:T|,? {1,4}(?:at {1,2})?)(\d{1,2})(?::(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)? ?([ap]\.?m\.?(?![a-z]))? ?(.{0,50})$/i;
const ZONE = /^(?:[+-]\d{2}:?\d{2}|[a-z]{1,20}(?:\/[a-z_]{2,30})?)?$/i;

/** `6 pm` as 18:00:00 and `12 am` as 00:00:00. */
function clockOf(hour: string, minutes = "00", seconds = "00", half = ""): string {
  const whole = half === "" ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
  return [String(whole).padStart(2, "0"), minutes, seconds].join(":");
}

/** The time of day and the zone after a day; null for other texts. */
function clockIn(rest: string): Omit<CalendarTime, "days"> | null {
  const [whole, hour = "", minutes, seconds, half, zone = rest] = CLOCK.exec(rest) ?? [];
  const isClock = whole === undefined || (minutes ?? half) !== undefined;
  // A bare number is not a time of day.
  if (!isClock || !ZONE.test(zone.trim())) return null;
  const clock = whole === undefined ? {} : { clock: clockOf(hour, minutes, seconds, half) };
  return { ...clock, zone: zone.trim() };
}

/** A time as people and programs write it: `12/05/2026 6pm`, `5 Dec 2026 18:00`, `Sat Dec  5 18:00:00 UTC 2026`. Null for other texts. */
export function readCalendar(written: string): CalendarTime | null {
  const text = written
    .trim()
    .replace(WEEKDAY, "")
    .replace(CLOCK_WORD, "$1:$2")
    .replace(COMPACT, "$1-$2-$3T$4:$5:$6")
    .replace(PRINTED, "$1 $2 $5 $3 $4");
  const [days, rest = ""] = dateIn(text) ?? [];
  const clock = days === undefined ? null : clockIn(rest);
  return days === undefined || clock === null ? null : { days, ...clock };
}
