import { HOUR_SECONDS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";
import { loadOf, type Placed, type Task } from "./job.ts";
import type { World } from "./world.ts";

/** What a policy came to, by the measured hours. */
export interface PolicyFigures {
  name: string;
  kgCO2: number;
  /** USD, list prices, of the runs whose price is published. */
  cost: number;
  meanDelayHours: number;
  /** Of the runs whose round trip is known. */
  meanLatencyMs: number;
  deadlineMisses: number;
  /** Runs in a place that residency, latency or another rule forbids. */
  violations: number;
  /** Part of all load (vCPU·h) that the most used region ran. */
  busiestRegionShare: number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : sum(values) / values.length);

/** region -> vCPU·h that it ran */
export function loadByRegion(tasks: readonly Task[], placed: readonly Placed[]): Map<PlaceKey, number> {
  const loads = new Map<PlaceKey, number>();
  tasks.forEach(({ job }, index) => {
    const place = placed[index]?.candidate.place ?? "";
    loads.set(place, (loads.get(place) ?? 0) + loadOf(job));
  });
  return loads;
}

/** Adds up what really happened. `placed` has an entry for every task. */
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
  const latencies = runs.flatMap(({ candidate }) => candidate.latencyMs ?? []);
  return {
    name,
    kgCO2: sum(runs.map(({ job, candidate, start }) => world.grams(job, candidate, start))) / 1000,
    cost: sum(runs.map(({ job, candidate }) => (candidate.pricePerHour ?? 0) * hours(job.durationSeconds))),
    meanDelayHours: mean(runs.map(({ job, start }) => hours(start - job.arrival))),
    meanLatencyMs: mean(latencies),
    deadlineMisses: runs.filter(({ job, start }) => start + job.durationSeconds > job.deadline).length,
    violations: runs.filter(({ allowed, candidate }) => !allowed.some(({ place }) => place === candidate.place)).length,
    busiestRegionShare: Math.max(0, ...loads) / Math.max(sum(loads), Number.MIN_VALUE),
  };
}
