import type { ZoneForecast } from "../model/places/forecast.ts";
import { forecastEnd } from "../model/places/forecast.ts";
import type { IntensityCurve } from "../model/places/intensity.ts";

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
