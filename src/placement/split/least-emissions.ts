import { QUARTER_SECONDS, quarterSums } from "../possible-starts.ts";
import type { IntensityCurve } from "../../model/places/intensity.ts";

/**
 * What a run of `seconds` emits at least between two times, with any number of free pauses: the sum of its lowest
 * quarters of an hour, in gCO2eq/kWh × s. A lower bound of every plan.
 */
export function leastEmissions(curve: IntensityCurve, from: number, to: number, seconds: number): number {
  const { base, sums } = quarterSums(curve, from, to);
  const first = Math.floor((from - base) / QUARTER_SECONDS);
  const last = Math.ceil((to - base) / QUARTER_SECONDS);
  const quarters = Float64Array.from({ length: last - first }, (_, at) => {
    return (sums[first + at + 1] ?? 0) - (sums[first + at] ?? 0);
  }).sort();
  const whole = Math.floor(seconds / QUARTER_SECONDS);
  const rest = (seconds - whole * QUARTER_SECONDS) / QUARTER_SECONDS;
  return quarters.subarray(0, whole).reduce((sum, one) => sum + one, 0) + rest * (quarters[whole] ?? 0);
}
