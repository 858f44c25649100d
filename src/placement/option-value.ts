import { HOUR_SECONDS, WEEK_HOURS } from "../model/time.ts";
import type { ForecastCurve } from "./curves.ts";

/** Measured: a larger value waits too often, a smaller one starts too early; between 0.3 and 0.5 little changes. */
const WORTH = 0.35;

/**
 * The value of an option grows with the square root of the time, the cost of waiting with the time. So the time for which
 * it counts is the square of this over the cost: 16 hours at 6 % a day. Measured: with a larger value, starts are later
 * and save no more.
 */
const PAID_ROOT_HOURS = 0.24;

export interface Deferral {
  /** Seconds since 1970. */
  nowSeconds: number;
  /** Seconds since 1970. */
  latestStart: number;
  /** Share of the best score of an immediate start that one day of waiting has to save. */
  waitingCost: number;
}

/**
 * The option value of waiting for an object that is decided again each hour, in standard errors of the forecast
 * difference: if the forecast gets worse, another start is chosen; if it gets better, the gain is kept. It grows with
 * the time that is left to choose, as long as waiting pays.
 */
export function optionValue({ nowSeconds, latestStart, waitingCost }: Deferral): number {
  const left = Math.max(0, latestStart - nowSeconds) / HOUR_SECONDS;
  const paid = waitingCost > 0 ? (PAID_ROOT_HOURS / waitingCost) ** 2 : WEEK_HOURS;
  return WORTH * Math.sqrt(Math.min(left, paid, WEEK_HOURS) / WEEK_HOURS);
}

/**
 * The band is assumed to cover 90 % of outcomes, as the embedded forecast's does: this many standard errors to either
 * side.
 */
const BAND = 1.645;
/**
 * The mean of a run is more certain than its single hours, and errors of a later and an earlier run are correlated: on
 * the series of 2022 the errors of the difference are 0.7 to 1 of the band's, and starts chosen with this factor are as
 * good.
 */
const SHARE = 0.85;

/** A week and a day: no start is further ahead. The last error applies beyond it. */
const MOST_HOURS = 192;
/** How many lengths of runs are cached for each forecast. */
const KEPT_RUNS = 24;

type Errors = Float32Array | null;

// Forecasts are immutable, so results are cached by the hour.
const known = new WeakMap<ForecastCurve, { hour: number; byRun: Map<number, Errors> }>();

function errorsFrom(curve: ForecastCurve, from: number, seconds: number): Errors {
  const errors = [0];
  for (let hours = 1; hours <= MOST_HOURS; hours++) {
    const wait = hours * HOUR_SECONDS;
    const band = curve.bandOver(from + wait, seconds);
    if (band === null) break;
    const error = (SHARE * Math.min(1, wait / seconds) * (band.high - band.low)) / 2 / BAND;
    errors.push(Math.min(error, curve.meanOver(from + wait, seconds)));
  }
  return errors.length === 1 ? null : Float32Array.from(errors);
}

/**
 * Standard error of the difference between a run's mean at a later start and at the present hour, from the error band:
 * gCO2eq/kWh by whole hours of waiting, up to the end of the band. While both runs overlap, only the hours that they do
 * not share count. Capped at the mean itself, so that an implausible band cannot make a start count as nothing. Null if
 * there is no band for a run of `seconds`.
 */
export function bandErrors(curve: ForecastCurve, nowSeconds: number, seconds: number): Errors {
  const hour = Math.floor(nowSeconds / HOUR_SECONDS);
  let kept = known.get(curve);
  if (kept?.hour !== hour) known.set(curve, (kept = { hour, byRun: new Map() }));
  const found = kept.byRun.get(seconds);
  if (found !== undefined) return found;
  if (kept.byRun.size >= KEPT_RUNS) kept.byRun.clear();
  const errors = errorsFrom(curve, hour * HOUR_SECONDS, seconds);
  kept.byRun.set(seconds, errors);
  return errors;
}
