import learned from "../../catalog/forecast-weights.json" with { type: "json" };
import { BUCKETS } from "./lead-buckets.ts";
import { POOL_FEATURES } from "./pool-zone.ts";

/** Weights of what a zone tells of itself, by bucket of leads, as `PoolZone.forecast` takes them: neighbours count nothing. */
export function asWeights(buckets: readonly (readonly number[])[]): Float64Array {
  const weights = new Float64Array(BUCKETS * POOL_FEATURES);
  for (const [bucket, own] of buckets.entries()) weights.set(own, bucket * POOL_FEATURES);
  return weights;
}

/** What the catalog's zones taught in a year (`npm run generate -- forecast-weights`). */
export const LEARNED = asWeights(learned.weights);
