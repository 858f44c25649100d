import type { ForecastCurve } from "./forecast-curve.ts";

const HOUR_SECONDS = 3600;
/** A band is taken to hold nine of ten figures, as the embedded forecast's does: so many standard errors to either side. */
const BAND = 1.645;
/**
 * The mean of a run is known better than its single hours, and what makes a later run worse makes an earlier one worse as well:
 * on the series of 2022 the errors of the difference itself are 0.7 to 1 of what the band says, and starts by it are as good.
 */
const SHARE = 0.85;

/**
 * How wrong a forecast may be about what waiting changes (the mean of a run that starts later, less the mean of the same run
 * at `now`), by its error band: gCO2eq/kWh by whole hours of waiting up to `most`, or up to where the band ends. While both
 * runs overlap, only the hours that they do not share count. Never more than the mean itself: no start counts
 * as nothing because its band is absurd. Null where there is no band for a run of `seconds`.
 */
export function bandErrors(
  curve: ForecastCurve,
  { now, seconds, most }: { now: number; seconds: number; most: number },
): Float64Array | null {
  const errors: number[] = [];
  for (let hours = 0; hours <= most; hours++) {
    const wait = hours * HOUR_SECONDS;
    const band = curve.bandOver(now + wait, seconds);
    if (band === null) break;
    const error = (SHARE * Math.min(1, wait / seconds) * (band.high - band.low)) / 2 / BAND;
    errors.push(Math.min(error, curve.meanOver(now + wait, seconds)));
  }
  return errors.length === 0 ? null : Float64Array.from(errors);
}
