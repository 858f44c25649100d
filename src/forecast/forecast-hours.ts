import { BUCKET_OF, BUCKETS, HORIZON_HOURS } from "./lead-buckets.ts";
import { PoolZone, POOL_FEATURES } from "./pool-zone.ts";
import learned from "../../catalog/forecast-weights.json" with { type: "json" };

/** Weights of what a zone tells of itself, by bucket of leads, as `PoolZone.forecast` takes them: neighbours count nothing. */
export function asWeights(buckets: readonly (readonly number[])[]): Float64Array {
  const weights = new Float64Array(BUCKETS * POOL_FEATURES);
  for (const [bucket, own] of buckets.entries()) weights.set(own, bucket * POOL_FEATURES);
  return weights;
}

/** What the catalog's zones taught in a year (`npm run generate -- forecast-weights`). */
const LEARNED = asWeights(learned.weights);

/** Nine of ten hours lie within this many standard errors of the forecast, were the errors normal. */
const BAND = 1.645;
/** Hours between two past forecasts that tell how wrong the next may be: each hour of the day comes up. */
const JUDGE_EVERY = 11;
/** Before half a day is known nobody can tell anything. */
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

  /** Takes note of what was `said` about the hours of which the first ones `came`. */
  note(said: Float64Array, came: Float64Array): void {
    for (const [at, value] of came.subarray(0, HORIZON_HOURS).entries()) {
      const bucket = BUCKET_OF[at + 1] ?? 0;
      const error = (said[at] ?? 0) - value;
      this.#squares[bucket] = (this.#squares[bucket] ?? 0) + error * error;
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    }
  }

  /** Standard errors, gCO2eq/kWh. Leads that no hour tells of yet are taken to be as uncertain as the longest that one does. */
  standard(): Float64Array {
    const errors = new Float64Array(BUCKETS);
    for (const [bucket, count] of this.#counts.entries()) {
      errors[bucket] = count === 0 ? (errors[bucket - 1] ?? 0) : Math.sqrt((this.#squares[bucket] ?? 0) / count);
    }
    return errors;
  }
}

/**
 * The embedded forecast of a zone from nothing but its measured hours, by weights that many zones taught
 * together. It learns nothing itself: what a few weeks of one zone teach is worse than what a year of many does.
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
