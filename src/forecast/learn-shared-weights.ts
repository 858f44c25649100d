import { BUCKETS } from "./lead-buckets.ts";
import { PoolObserver } from "./pool-observer.ts";
import { learnShared } from "./pool-weights.ts";
import { OWN_FEATURES, POOL_FEATURES } from "./pool-zone.ts";

/** More say nothing that could be measured. */
const DIGITS = 5;

/**
 * What the hours of many zones teach together about any zone that tells of nothing but itself: by bucket of leads, the weights
 * of its OWN_FEATURES figures. `series`: gCO2eq/kWh by the hour, all from the same first one on.
 */
export function learnSharedWeights(series: readonly Float64Array[]): number[][] {
  const observer = new PoolObserver(series, []);
  const hours = Math.min(...series.map(({ length }) => length));
  while (observer.known < hours) observer.takeHour();
  const weights = learnShared(observer.sums);
  return Array.from({ length: BUCKETS }, (_, bucket) => {
    const first = bucket * POOL_FEATURES;
    return Array.from(weights.subarray(first, first + OWN_FEATURES), (weight) => Number(weight.toPrecision(DIGITS)));
  });
}
