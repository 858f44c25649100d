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

/** A name of a month, also in whole, as its number; 0 for another word. */
const monthOf = (name: string): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

/** `2026`, `12` and `5` as `2026-12-05`; of two digits, a year is one of this century. */
export function dayOf(year: string | number, month: string | number, day: string | number): string {
  const [whole, ...parts] = [year, month, day].map((one) => String(one).padStart(2, "0"));
  return [String(whole).length === 2 ? `20${String(whole)}` : whole, ...parts].join("-");
}

const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? {1,4}(?=[\da-z])/i;
/** `20261205T180000Z` */
const COMPACT = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})/;
/** `Dec  5 18:00:00 UTC 2026`, as `date` prints it. */
const PRINTED = /^([a-z]{3}) {1,2}(\d{1,2}) (\d{2}:\d{2}:\d{2}) (?:([a-z]{1,5}|[+-]\d{4}) )?(\d{4})$/i;

const YEAR_FIRST = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/;
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/;
const DAY_NAME = /^(\d{1,2})(?:st|nd|rd|th)?[ -](?:of )?([a-z]{3,9})\.?,?[ -](\d{4})(?!\d)/i;
const NAME_DAY = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/i;

/** The days that numbers can mean: with dots, as in Europe, the day is first; with others, day and month may change places. */
function daysOf(first: string, sign: string, second: string, year: string): string[] {
  const european = dayOf(year, second, first);
  const american = dayOf(year, first, second);
  if (sign === "." || Number(first) > 12) return [european];
  return Number(second) > 12 || first === second ? [american] : [american, european];
}

/** The days at the beginning of a text, and the rest of it. */
function dateIn(text: string): [days: string[], rest: string] | null {
  const found = YEAR_FIRST.exec(text) ?? YEAR_LAST.exec(text) ?? DAY_NAME.exec(text) ?? NAME_DAY.exec(text);
  if (found === null) return null;
  const [whole, one = "", two = "", three = "", four] = found;
  const rest = text.slice(whole.length);
  if (four !== undefined) return [daysOf(one, two, three, four), rest];
  if (YEAR_FIRST.test(text)) return [[dayOf(one, two, three)], rest];
  const [month, day] = monthOf(two) > 0 ? [monthOf(two), one] : [monthOf(one), two];
  return month === 0 ? null : [[dayOf(three, month, day)], rest];
}

const CLOCK =
  /^(?:T|,? {1,4}(?:at {1,2})?)(\d{1,2})(?::(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)? ?([ap]\.?m\.?(?![a-z]))? ?(.{0,50})$/i;
const ZONE = /^(?:[+-]\d{2}:?\d{2}|[a-z]{1,20}(?:\/[a-z_]{2,30})?)?$/i;

/** `6 pm` as 18 and `12 am` as 0. */
const hourOf = (hour: string, half: string): number =>
  half === "" ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);

/** A time as people and programs write it: `12/05/2026 6pm`, `5 Dec 2026 18:00`, `Sat Dec  5 18:00:00 UTC 2026`. Null for other texts. */
export function readCalendar(written: string): CalendarTime | null {
  const text = written
    .trim()
    .replace(WEEKDAY, "")
    .replace(COMPACT, "$1-$2-$3T$4:$5:$6")
    .replace(PRINTED, "$1 $2 $5 $3 $4");
  const [days, rest = ""] = dateIn(text) ?? [];
  if (days === undefined) return null;
  const [, hour, minutes, seconds = "00", half = "", zone = ""] = CLOCK.exec(rest) ?? [];
  if (hour === undefined) return ZONE.test(rest.trim()) ? { days, zone: rest.trim() } : null;
  const isClock = minutes !== undefined || half !== "";
  if (!isClock || !ZONE.test(zone.trim())) return null;
  return { days, clock: `${String(hourOf(hour, half)).padStart(2, "0")}:${minutes ?? "00"}:${seconds}`, zone: zone.trim() };
}
