import { BUCKET_OF, BUCKETS, HORIZON_HOURS } from "./lead-buckets.ts";
import { PoolZone, POOL_FEATURES } from "./pool-zone.ts";
import learned from "../../catalog/forecast-weights.json" with { type: "json" };

/** A zone's own weights by bucket of leads, in the form that `PoolZone.forecast` takes; neighbours have weight 0. */
export function asWeights(buckets: readonly (readonly number[])[]): Float64Array {
  const weights = new Float64Array(BUCKETS * POOL_FEATURES);
  for (const [bucket, own] of buckets.entries()) weights.set(own, bucket * POOL_FEATURES);
  return weights;
}

/** Weights learned from a year of the catalog's zones (`npm run generate -- forecast-weights`). */
const LEARNED = asWeights(learned.weights);

/** Under a normal distribution, 90 % of hours are within this many standard errors of the forecast. */
const BAND = 1.645;
/** Hours between two past forecasts that are evaluated. Coprime to 24, so each hour of the day occurs. */
const JUDGE_EVERY = 11;
/** Errors are evaluated from half a day of data. */
const JUDGED_FROM = 12;

/** The hours after the last measured one, gCO2eq/kWh. */
export interface HoursToCome {
  values: number[];
  low: number[];
  high: number[];
}

/** Errors of past forecasts by bucket of leads. */
class PastErrors {
  readonly #squares = new Float64Array(BUCKETS);
  readonly #counts = new Float64Array(BUCKETS);

  /** Adds the errors of the forecast `said`, given the measured values `came`. */
  note(said: Float64Array, came: Float64Array): void {
    for (const [at, value] of came.subarray(0, HORIZON_HOURS).entries()) {
      const bucket = BUCKET_OF[at + 1] ?? 0;
      const error = (said[at] ?? 0) - value;
      this.#squares[bucket] = (this.#squares[bucket] ?? 0) + error * error;
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    }
  }

  /** Standard errors, gCO2eq/kWh. Leads without data get the error of the longest lead with data. */
  standard(): Float64Array {
    const errors = new Float64Array(BUCKETS);
    for (const [bucket, count] of this.#counts.entries()) {
      errors[bucket] = count === 0 ? (errors[bucket - 1] ?? 0) : Math.sqrt((this.#squares[bucket] ?? 0) / count);
    }
    return errors;
  }
}

/**
 * The embedded forecast of a zone from its measured hours alone, with weights learned from many zones. It learns
 * nothing itself: a few weeks of one zone teach less than a year of many.
 */
export function forecastHours(measured: readonly number[], weights = LEARNED): HoursToCome {
  const zone = new PoolZone(Float64Array.from(measured));
  for (let hour = 0; hour < measured.length; hour++) {
    zone.take();
    zone.keep([], []);
  }
  const past = new PastErrors();
  for (let known = JUDGED_FROM; known < measured.length; known += JUDGE_EVERY) {
    past.note(zone.forecast(known, weights), zone.data.values.subarray(known));
  }
  const errors = past.standard();
  const hours: HoursToCome = { values: [], low: [], high: [] };
  for (const [at, value] of zone.forecast(measured.length, weights).entries()) {
    const width = BAND * (errors[BUCKET_OF[at + 1] ?? 0] ?? 0);
    hours.values.push(value);
    hours.low.push(Math.max(0, value - width));
    hours.high.push(value + width);
  }
  return hours;
}
