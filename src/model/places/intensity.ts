import { HOUR_SECONDS } from "../time.ts";

/**
 * Carbon intensity of an electricity zone over time, from any source: the catalog's climatology, a forecast, a recorded
 * series. The only interface that placement uses.
 */
export interface IntensityCurve {
  /** Mean gCO2eq/kWh from `start` (seconds since 1970) over `seconds` (> 0). */
  meanOver(start: number, seconds: number): number;
  /** Source of the data, for people. */
  readonly source: string;
  /** Time of issue of a forecast, in seconds since 1970; null for climatology. */
  readonly issuedAt: number | null;
  /**
   * End of forecast or measured data, in seconds since 1970; the curve is climatology after it. Null: there is no
   * climatology.
   */
  readonly until: number | null;
}

export interface HourlyCurveDetails {
  source: string;
  /** Seconds since 1970. */
  issuedAt: number | null;
  until: number | null;
}

/**
 * Hourly values as a curve, with prefix sums: the mean over a run costs the same regardless of its length. The first
 * and the last value extend beyond the ends.
 */
export class HourlyCurve implements IntensityCurve {
  readonly source: string;
  readonly issuedAt: number | null;
  readonly until: number | null;
  readonly #start: number;
  readonly #values: Float64Array;
  readonly #sums: Float64Array;

  /** `start`: seconds since 1970 of the first hour. `values`: gCO2eq/kWh, at least one. */
  constructor(start: number, values: Float64Array, details: HourlyCurveDetails) {
    ({ source: this.source, issuedAt: this.issuedAt, until: this.until } = details);
    this.#start = start;
    this.#values = values;
    this.#sums = new Float64Array(values.length + 1);
    let sum = 0;
    for (let hour = 0; hour < values.length; hour++) {
      sum += values[hour] ?? 0;
      this.#sums[hour + 1] = sum;
    }
  }

  /** Mean gCO2eq/kWh from `start` (seconds since 1970) over `seconds` (> 0). */
  meanOver(start: number, seconds: number): number {
    const from = (start - this.#start) / HOUR_SECONDS;
    const hours = seconds / HOUR_SECONDS;
    return (this.#integral(from + hours) - this.#integral(from)) / hours;
  }

  /** The minimum, gCO2eq/kWh. */
  least(): number {
    return this.#values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  }

  #integral(hours: number): number {
    const last = this.#values.length;
    if (hours <= 0) return hours * (this.#values[0] ?? 0);
    if (hours >= last) return (this.#sums[last] ?? 0) + (hours - last) * (this.#values[last - 1] ?? 0);
    const hour = Math.floor(hours);
    return (this.#sums[hour] ?? 0) + (hours - hour) * (this.#values[hour] ?? 0);
  }
}

/** Grams of CO2 equivalents for people: two decimals below 10 g, kilograms from 10 kg. */
export function formatGrams(grams: number): string {
  if (grams >= 10_000) return `${(grams / 1000).toFixed(1)} kg CO2e`;
  return `${grams.toFixed(grams < 10 ? 2 : 0)} g CO2e`;
}

/** Measured carbon intensity of an electricity zone, hour by hour without gaps. */
export interface HourlySeries {
  /** Beginning of the first hour, in seconds since 1970; a full hour. */
  start: number;
  /** gCO2eq/kWh, life-cycle. */
  values: Float64Array;
  /** The mean of the year before the series, which is known at its beginning; null if it is not published. */
  before: number | null;
}
