import { HOUR_SECONDS, WEEK_HOURS } from "../model/time.ts";
import type { ForecastCurve } from "./forecast-curve.ts";

/** Measured: more waits too often, less starts too early; between 0.3 and 0.5 little changes. */
const WORTH = 0.35;

export interface Deferral {
  /** Seconds since 1970. */
  nowSeconds: number;
  /** Seconds since 1970. */
  latestStart: number;
}

/**
 * How much a start in the future counts as better than its forecast to somebody who decides again each hour, in standard errors
 * of what the forecast says that waiting changes: should it turn out worse, another start is taken, should it turn out
 * better, the gain is kept. It grows with the time that is left to choose.
 */
export const optionValue = ({ nowSeconds, latestStart }: Deferral): number =>
  WORTH * Math.sqrt(Math.min(1, Math.max(0, latestStart - nowSeconds) / HOUR_SECONDS / WEEK_HOURS));

/** A band is taken to hold nine of ten figures, as the embedded forecast's does: so many standard errors to either side. */
const BAND = 1.645;
/**
 * The mean of a run is known better than its single hours, and what makes a later run worse makes an earlier one worse as well:
 * on the series of 2022 the errors of the difference itself are 0.7 to 1 of what the band says, and starts by it are as good.
 */
const SHARE = 0.85;

/** A week and a day: no start lies further ahead, and the last error goes on. */
const MOST_HOURS = 192;
/** Lengths of runs that are kept for each forecast. */
const KEPT_RUNS = 24;

type Errors = Float32Array | null;

// A forecast never changes: what was worked out in an hour holds for every request of that hour.
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
 * How wrong a forecast may be about what waiting changes (the mean of a run that starts later, less the mean of the same run
 * in this hour), by its error band: gCO2eq/kWh by whole hours of waiting, up to where the band ends. While both runs overlap,
 * only the hours that they do not share count. Never more than the mean itself: no start counts as nothing because its band
 * is absurd. Null where there is no band for a run of `seconds`.
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
