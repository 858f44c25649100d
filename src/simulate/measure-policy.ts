import { DAY_SECONDS, HOUR_SECONDS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";
import { loadOf, type Placed, type Task } from "./job.ts";
import type { World } from "./world.ts";

/** A policy's results under the measured intensities. */
export interface PolicyFigures {
  name: string;
  kgCO2: number;
  /** `kgCO2` and what waiting costs: a share a day of each job's best immediate start. */
  kgWithWaiting: number;
  /** USD at list prices, for the runs with a published price. */
  cost: number;
  meanDelayHours: number;
  /** Over the runs with a known round trip. */
  meanLatencyMs: number;
  deadlineMisses: number;
  /** Runs in a place that residency, latency or another rule forbids. */
  violations: number;
  /** Share of all load (vCPU·h) in the most used region. */
  busiestRegionShare: number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : sum(values) / values.length);

/** region -> load in vCPU·h */
export function loadByRegion(tasks: readonly Task[], placed: readonly Placed[]): Map<PlaceKey, number> {
  const loads = new Map<PlaceKey, number>();
  tasks.forEach(({ job }, index) => {
    const place = placed[index]?.candidate.place ?? "";
    loads.set(place, (loads.get(place) ?? 0) + loadOf(job));
  });
  return loads;
}

/** The grams of a task that starts on arrival in the best place for that. */
export const gramsNow = (world: World, { job, allowed }: Task): number =>
  Math.min(...allowed.map((candidate) => world.grams(job, candidate, job.arrival)));

/** Sums up the results. `placed` has an entry for every task. */
export function measurePolicy(
  name: string,
  world: World,
  tasks: readonly Task[],
  placed: readonly Placed[],
): PolicyFigures {
  const runs = tasks.flatMap((task, index) => {
    const at = placed[index];
    return at === undefined ? [] : [{ ...task, ...at }];
  });
  const loads = [...loadByRegion(tasks, placed).values()];
  const hours = (seconds: number): number => seconds / HOUR_SECONDS;
  const grams = sum(runs.map(({ job, candidate, start }) => world.grams(job, candidate, start)));
  const waited = sum(runs.map((run) => (gramsNow(world, run) * (run.start - run.job.arrival)) / DAY_SECONDS));
  const latencies = runs.flatMap(({ candidate }) => candidate.latencyMs ?? []);
  return {
    name,
    kgCO2: grams / 1000,
    kgWithWaiting: (grams + world.waitingCost * waited) / 1000,
    cost: sum(runs.map(({ job, candidate }) => (candidate.pricePerHour ?? 0) * hours(job.durationSeconds))),
    meanDelayHours: mean(runs.map(({ job, start }) => hours(start - job.arrival))),
    meanLatencyMs: mean(latencies),
    deadlineMisses: runs.filter(({ job, start }) => start + job.durationSeconds > job.deadline).length,
    violations: runs.filter(({ allowed, candidate }) => !allowed.some(({ place }) => place === candidate.place)).length,
    busiestRegionShare: Math.max(0, ...loads) / Math.max(sum(loads), Number.MIN_VALUE),
  };
}
