import { HOUR_SECONDS } from "../../model/time.ts";
import { powerKw } from "../../placement/energy.ts";
import type { Placed, Task } from "../job.ts";
import type { World } from "../world.ts";
import type { Split } from "./split.ts";

/** The result of a policy whose runs pause, under the measured intensities. */
export interface PauseFigures {
  name: string;
  kgCO2: number;
  /** From the arrival and the duration to the end of the run. */
  meanDelayHours: number;
  meanPauses: number;
  mostPauses: number;
  deadlineMisses: number;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, one) => sum + one, 0) / values.length;

/** A run without a pause. */
export const unbroken = ({ job }: Task, { candidate, start }: Placed): Split => ({
  candidate,
  segments: [{ start, end: start + job.durationSeconds }],
});

/** Grams of a run with its resumes. */
export function gramsOf(world: World, { candidate, segments }: Split): number {
  const truth = world.truth(candidate);
  const sum = segments.reduce((all, { start, end }) => all + truth.meanOver(start, end - start) * (end - start), 0);
  return (powerKw(world.power, candidate) * sum) / HOUR_SECONDS;
}

/** Sums up the results. `splits` has an entry for every task. */
export function measurePauses(
  name: string,
  world: World,
  tasks: readonly Task[],
  splits: readonly Split[],
): PauseFigures {
  const ends = splits.map(({ segments }) => segments.at(-1)?.end ?? 0);
  const pauses = splits.map(({ segments }) => segments.length - 1);
  const delays = tasks.map(({ job }, at) => ((ends[at] ?? 0) - job.arrival - job.durationSeconds) / HOUR_SECONDS);
  return {
    name,
    kgCO2: splits.reduce((sum, split) => sum + gramsOf(world, split), 0) / 1000,
    meanDelayHours: mean(delays),
    meanPauses: mean(pauses),
    mostPauses: Math.max(0, ...pauses),
    deadlineMisses: tasks.filter(({ job }, at) => (ends[at] ?? 0) > job.deadline + 1e-6).length,
  };
}
