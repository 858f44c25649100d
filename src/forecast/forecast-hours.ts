import { HORIZON_HOURS } from "./lead-buckets.ts";
import { ZoneForecaster } from "./zone-forecaster.ts";

const HOUR_SECONDS = 3600;
/** Nine of ten hours lie within this many standard errors of the forecast, were the errors normal. */
const BAND = 1.645;

/** The hours after the last measured one, gCO2eq/kWh. */
export interface HoursToCome {
  values: number[];
  low: number[];
  high: number[];
}

/**
 * The embedded forecast of a zone from nothing but its measured hours, the first of which begins at `start` (seconds since
 * 1970). It does not learn: what a few weeks teach is worse than what it begins with (measured on the series of 2022: with four
 * weeks the error in Germany rises from 98 to 108 g), and a year takes too long to learn from in a process that has to answer.
 */
export function forecastHours(start: number, measured: readonly number[]): HoursToCome {
  const mean = measured.reduce((sum, value) => sum + value, 0) / measured.length;
  const forecaster = new ZoneForecaster(
    { start, values: Float64Array.from(measured), before: mean },
    { learns: false },
  );
  const now = start + measured.length * HOUR_SECONDS;
  forecaster.advance(now);
  const curve = forecaster.curveAt(now);
  const hours: HoursToCome = { values: [], low: [], high: [] };
  for (let lead = 1; lead <= HORIZON_HOURS; lead++) {
    const value = curve.meanOver(now + (lead - 1) * HOUR_SECONDS, HOUR_SECONDS);
    const width = BAND * forecaster.errorAt(lead);
    hours.values.push(value);
    hours.low.push(Math.max(0, value - width));
    hours.high.push(value + width);
  }
  return hours;
}
