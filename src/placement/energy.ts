import type { PowerModel } from "../model/places/catalog.ts";
import type { Candidate } from "../model/policy.ts";
import type { IntensityCurve } from "../model/places/intensity.ts";
import { HOUR_SECONDS, WEEK_SECONDS } from "../model/time.ts";

/** Power draw of a machine of this size from the grid, in kW: (vCPU × W + GiB × W) × PUE of its provider. */
export function powerKw(power: PowerModel, machine: Pick<Candidate, "provider" | "vcpus" | "memoryGiB">): number {
  const watts = machine.vcpus * power.wattsPerVcpu + machine.memoryGiB * power.wattsPerGiB;
  return (watts * (power.pue[machine.provider] ?? power.pue["default"] ?? 1)) / 1000;
}

/**
 * Grams of the same machine started at `nowSeconds` in the origin's zone: the baseline without Landfall. Null if the
 * origin's zone has no data. One hour is counted if there is no duration.
 */
export function baselineGrams(
  machine: Candidate,
  origin: IntensityCurve | undefined,
  power: PowerModel,
  run: { nowSeconds: number; durationSeconds: number | null },
): number | null {
  if (origin === undefined) return null;
  const seconds = run.durationSeconds ?? WEEK_SECONDS;
  const hours = (run.durationSeconds ?? HOUR_SECONDS) / HOUR_SECONDS;
  return powerKw(power, machine) * origin.meanOver(run.nowSeconds, seconds) * hours;
}
