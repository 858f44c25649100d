import { BUCKETS } from "./lead-buckets.ts";
import { PoolObserver } from "./pool-observer.ts";
import { learnShared } from "./pool-weights.ts";
import { OWN_FEATURES, POOL_FEATURES } from "./pool-zone.ts";

/** Further digits make no measurable difference. */
const DIGITS = 5;

/**
 * Learns weights from many zones for any zone that has only its own data: by bucket of leads, the weights of its
 * OWN_FEATURES features. `series`: hourly gCO2eq/kWh, all from the same first hour.
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
