import { forecastEnd, type ZoneForecast } from "../model/places/forecast.ts";
import type { IntensityCurve } from "../model/places/intensity.ts";
import type { CarbonTable } from "../model/places/catalog.ts";
import { DAY_SECONDS, HOUR_SECONDS, WEEK_HOURS, WEEK_SECONDS } from "../model/time.ts";

// 1970-01-01 was a Thursday: the table's week starts on Monday, three days earlier.
const EPOCH_OFFSET_SECONDS = 72 * HOUR_SECONDS;
const TENTHS = 10;
/** A longer run counts by its first ten years: months are summed one by one, and no machine runs longer. */
const LONGEST_SECONDS = 10 * 366 * DAY_SECONDS;

/** Months since January 1970, UTC. */
function monthOf(time: number): number {
  const date = new Date(time * 1000);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** The first second of a month, in seconds since 1970. */
const beginningOf = (month: number): number => Date.UTC(1970, month, 1) / 1000;

/** Seconds since the Monday 00:00 UTC before 1970. */
const sinceMonday = (time: number): number => time + EPOCH_OFFSET_SECONDS;

/**
 * A zone's climatology as a function of time: each month repeats the hours of its mean week. Prefix sums are computed
 * once per requested month, so the mean over a run costs the same regardless of its length. The sums are integers
 * (tenths of a gram times seconds), so results do not depend on the order of requests.
 */
export class CarbonCurve implements IntensityCurve {
  readonly source: string;
  readonly issuedAt = null;
  readonly until = null;
  readonly #table: CarbonTable;
  /** By month of the year, or one entry for all: prefix sums of the week's hours, in tenths of a gram. */
  readonly #weeks: (Uint32Array | undefined)[] = [];
  /** The last requested month; most requests are for consecutive quarters of an hour. */
  #last = { month: 0, from: 0, to: 0 };
  /** Prefix sums over the months from `#first`, up to the beginning of each, in tenths of a gram times seconds. */
  #months = [0];
  #first = 0;

  /** A zone with only a yearly figure is flat. */
  constructor(table: CarbonTable) {
    this.source = `climatology, ${table.detail}: ${table.source}`;
    this.#table = table;
  }

  /** Mean gCO2eq/kWh from `start` (seconds since 1970) over `seconds` (> 0). */
  meanOver(start: number, seconds: number): number {
    const { yearly, tenths } = this.#table;
    if (tenths.length === 0) return yearly;
    const counted = Math.min(seconds, LONGEST_SECONDS);
    const end = start + counted;
    if (tenths.length === WEEK_HOURS) return this.#within(0, start, end) / counted / TENTHS;
    const from = this.#monthOf(start);
    if (end <= this.#last.to) return this.#within(from, start, end) / counted / TENTHS;
    const to = monthOf(end);
    const first = this.#within(from, start, beginningOf(from + 1));
    const last = this.#within(to, beginningOf(to), end);
    return (first + this.#wholeMonths(from + 1, to) + last) / counted / TENTHS;
  }

  #monthOf(time: number): number {
    if (time < this.#last.from || time >= this.#last.to) {
      const month = monthOf(time);
      this.#last = { month, from: beginningOf(month), to: beginningOf(month + 1) };
    }
    return this.#last.month;
  }

  /** Sum over a part of a month. */
  #within(month: number, from: number, to: number): number {
    const sums = this.#weekOf(month);
    return integral(sums, sinceMonday(to)) - integral(sums, sinceMonday(from));
  }

  /** Sum over the months from `from` up to but not including `to`. */
  #wholeMonths(from: number, to: number): number {
    if (from < this.#first || this.#months.length === 1) [this.#first, this.#months] = [from, [0]];
    for (let month = this.#first + this.#months.length - 1; month < to; month++) {
      const before = this.#months.at(-1) ?? 0;
      this.#months.push(before + this.#within(month, beginningOf(month), beginningOf(month + 1)));
    }
    return (this.#months[to - this.#first] ?? 0) - (this.#months[from - this.#first] ?? 0);
  }

  #weekOf(month: number): Uint32Array {
    const { tenths } = this.#table;
    const row = tenths.length === WEEK_HOURS ? 0 : ((month % 12) + 12) % 12;
    const known = this.#weeks[row];
    if (known !== undefined) return known;
    const sums = new Uint32Array(WEEK_HOURS + 1);
    for (let hour = 0; hour < WEEK_HOURS; hour++)
      sums[hour + 1] = (sums[hour] ?? 0) + (tenths[row * WEEK_HOURS + hour] ?? 0);
    return (this.#weeks[row] = sums);
  }
}

/** Tenths of a gram times seconds from a Monday 00:00 UTC to `seconds` later, for a week that repeats. */
function integral(sums: Uint32Array, seconds: number): number {
  const weeks = Math.floor(seconds / WEEK_SECONDS);
  const within = seconds - weeks * WEEK_SECONDS;
  const hour = Math.floor(within / HOUR_SECONDS);
  const whole = sums[hour] ?? 0;
  const rest = ((sums[hour + 1] ?? 0) - whole) * (within - hour * HOUR_SECONDS);
  return weeks * (sums[WEEK_HOURS] ?? 0) * HOUR_SECONDS + whole * HOUR_SECONDS + rest;
}

/** A forecast begins with the step in which it was made; the step before it counts as equal. */
const LEAD_IN_SECONDS = 3600;

/** Prefix sums: the mean over any part costs the same regardless of its length. */
function sumsOf(values: readonly number[], stepSeconds: number): Float64Array {
  const sums = new Float64Array(values.length + 1);
  let sum = 0;
  for (const [index, value] of values.entries()) sums[index + 1] = sum += value * stepSeconds;
  return sums;
}

/** The interval of an uncertain run, gCO2eq/kWh. */
export interface Band {
  low: number;
  high: number;
}

/** A forecast, with another curve for the time that it does not cover. */
export class ForecastCurve implements IntensityCurve {
  readonly source: string;
  readonly issuedAt: number;
  readonly until: number;
  readonly #forecast: ZoneForecast;
  readonly #rest: IntensityCurve;
  readonly #from: number;
  readonly #sums: Float64Array;
  /** Prefix sums of the error band, computed on demand. */
  #bandSums: { low: Float64Array; high: Float64Array } | null = null;

  /** `rest` applies before the forecast and after it. */
  constructor(source: string, forecast: ZoneForecast, rest: IntensityCurve) {
    this.source = source;
    this.issuedAt = forecast.issuedAt;
    this.#forecast = forecast;
    this.#rest = rest;
    this.#from = forecast.start - LEAD_IN_SECONDS;
    const end = forecastEnd(forecast);
    // If `rest` is another forecast, knowledge extends to its end; if it is climatology (null), it does not.
    this.until = rest.until !== null && rest.until > end ? rest.until : end;
    this.#sums = sumsOf(forecast.values, forecast.stepSeconds);
  }

  /** Mean gCO2eq/kWh from `start` (seconds since 1970) over `seconds` (> 0). */
  meanOver(start: number, seconds: number): number {
    const end = start + seconds;
    const [from, to] = [Math.max(start, this.#from), Math.min(end, forecastEnd(this.#forecast))];
    if (to <= from) return this.#rest.meanOver(start, seconds);
    let sum = this.#integral(to, this.#sums) - this.#integral(from, this.#sums);
    if (from > start) sum += this.#rest.meanOver(start, from - start) * (from - start);
    if (end > to) sum += this.#rest.meanOver(to, end - to) * (end - to);
    return sum / seconds;
  }

  /** The error band of a run; null if the forecast has none or does not cover the whole run. */
  bandOver(start: number, seconds: number): Band | null {
    const { band, stepSeconds } = this.#forecast;
    const end = start + seconds;
    if (band === null || start < this.#from || end > forecastEnd(this.#forecast)) return null;
    const { low, high } = (this.#bandSums ??= {
      low: sumsOf(band.low, stepSeconds),
      high: sumsOf(band.high, stepSeconds),
    });
    const mean = (sums: Float64Array): number => (this.#integral(end, sums) - this.#integral(start, sums)) / seconds;
    return { low: mean(low), high: mean(high) };
  }

  /** gCO2eq/kWh × s from the first step to `time`; negative before it. */
  #integral(time: number, sums: Float64Array): number {
    const { start, stepSeconds } = this.#forecast;
    const steps = (time - start) / stepSeconds;
    // Each step extends to both sides, also before the first one.
    const step = Math.max(0, Math.min(Math.floor(steps), sums.length - 2));
    const sum = sums[step] ?? 0;
    return sum + (steps - step) * ((sums[step + 1] ?? 0) - sum);
  }
}
