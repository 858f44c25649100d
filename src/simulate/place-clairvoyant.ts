import type { HourlyCurve } from "../model/places/intensity.ts";
import type { Candidate } from "../model/policy.ts";
import type { PlaceKey } from "../model/workload.ts";
import { breakpoints } from "./breakpoints.ts";
import { type Job, loadOf, type Placed, type Task } from "./job.ts";
import { keepShares } from "./keep-shares.ts";
import { type CostRow, priceRegions } from "./price-regions.ts";
import type { World } from "./world.ts";

const ROUNDS = 600;

/** The exact best start; the earliest of equals by their place in the list. */
function bestStart(truth: HourlyCurve, job: Job): number {
  let best = job.arrival;
  let least = Number.POSITIVE_INFINITY;
  for (const start of breakpoints(job)) {
    const mean = truth.meanOver(start, job.durationSeconds);
    if (mean < least - 1e-9) [least, best] = [mean, start];
  }
  return best;
}

export interface Clairvoyant {
  placed: Placed[];
  /** Lower bound in grams for every policy. */
  bound: number;
}

/** Every candidate at its best start. */
function options(world: World, { job, allowed }: Task): Placed[] {
  const starts = new Map<string | null, number>();
  return allowed.map((candidate: Candidate) => {
    const zone = candidate.electricityZone;
    const start = starts.get(zone) ?? bestStart(world.truth(candidate), job);
    starts.set(zone, start);
    return { candidate, start };
  });
}

/**
 * Placement with perfect knowledge of the year. Without `share` it is each job's exact minimum. With `share`, the bound
 * is the Lagrangian dual of the assignment under the limit, which no assignment can go below; `placed` is a feasible
 * assignment made from the dual's prices and repaired. The gap between the two measures the quality of both.
 */
export function placeClairvoyant(world: World, tasks: readonly Task[], share: number | null): Clairvoyant {
  const choices = tasks.map((task) => options(world, task));
  const rows = tasks.map(({ job }, index): CostRow => {
    const all = choices[index] ?? [];
    const costs = Float64Array.from(all, ({ candidate, start }) => world.grams(job, candidate, start));
    return { load: loadOf(job), places: all.map(({ candidate }) => candidate.place), costs };
  });
  const total = rows.reduce((sum, { load }) => sum + load, 0);
  const limits = new Map<PlaceKey, number>();
  if (share !== null)
    for (const place of new Set(rows.flatMap(({ places }) => places))) limits.set(place, share * total);
  const { prices, bound } = priceRegions(rows, limits, { rounds: share === null ? 1 : ROUNDS });
  const chosen = keepShares(rows, limits, prices);
  const placed = choices.flatMap((all, index) => {
    const one = all[chosen[index] ?? 0];
    return one === undefined ? [] : [one];
  });
  return { placed, bound };
}
