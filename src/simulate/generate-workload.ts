import { HOUR_SECONDS, MINUTE_SECONDS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";
import type { Job } from "./job.ts";
import { random } from "./random.ts";

const SIZES = [1, 2, 4, 8, 16];
const GIB_PER_VCPU = [2, 4, 8];

/** From the first to the last value, inclusive. */
export type Range = readonly [number, number];

export interface WorkloadOptions {
  jobs: number;
  seed: number;
  durationHours: Range;
  slackHours: Range;
  latencyMs: Range;
  /** Share of the jobs whose data must stay in the origin's area, from 0 to 1. */
  residencyShare: number;
  origins: readonly { place: PlaceKey; area: string }[];
  /** Seconds since 1970: no arrival before `from`, no deadline after `to`. */
  from: number;
  to: number;
}

/**
 * Generates a workload from a seed: durations, slacks, limits, origins and arrivals are uniformly distributed. Sorted
 * by arrival.
 */
export function generateWorkload(options: WorkloadOptions): Job[] {
  const next = random(options.seed);
  const within = ([low, high]: Range): number => low + Math.floor(next() * (high - low + 1));
  const oneOf = <T>(values: readonly T[]): T | undefined => values[Math.floor(next() * values.length)];
  const jobs = Array.from({ length: options.jobs }, (): Job => {
    const durationSeconds = within(options.durationHours) * HOUR_SECONDS;
    const slack = within(options.slackHours) * HOUR_SECONDS;
    const minutes = Math.floor((options.to - options.from - durationSeconds - slack) / MINUTE_SECONDS);
    const arrival = options.from + within([0, minutes]) * MINUTE_SECONDS;
    const cpu = oneOf(SIZES) ?? 1;
    const memory = cpu * (oneOf(GIB_PER_VCPU) ?? 1);
    const origin = oneOf(options.origins);
    const dataResidency = next() < options.residencyShare && origin !== undefined ? [origin.area] : [];
    const deadline = arrival + durationSeconds + slack;
    const maxLatencyMs = within(options.latencyMs);
    const place = origin?.place ?? "";
    return { id: "", arrival, cpu, memory, durationSeconds, deadline, maxLatencyMs, origin: place, dataResidency };
  });
  jobs.sort((a, b) => a.arrival - b.arrival);
  return jobs.map((job, index) => ({ ...job, id: `job-${String(index + 1).padStart(5, "0")}` }));
}
