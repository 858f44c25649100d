import { DAY_SECONDS, HOUR_SECONDS } from "../model/time.ts";
import { powerKw } from "../placement/energy.ts";
import { breakpoints } from "./breakpoints.ts";
import type { Placed, Task } from "./job.ts";
import { gramsNow } from "./measure-policy.ts";
import type { World } from "./world.ts";

interface Best extends Placed {
  cost: number;
}

/** The best place and start of a task, with `perSecond` grams for each second of waiting. */
function bestOf(world: World, { job, allowed, atOrigin }: Task, perSecond: number): Placed {
  const starts = breakpoints(job);
  let best: Best = { candidate: atOrigin, start: job.arrival, cost: Number.POSITIVE_INFINITY };
  for (const candidate of allowed) {
    const truth = world.truth(candidate);
    const perIntensity = (powerKw(world.power, candidate) * job.durationSeconds) / HOUR_SECONDS;
    for (const start of starts) {
      const waited = perSecond * (start - job.arrival);
      const cost = perIntensity * truth.meanOver(start, job.durationSeconds) + waited;
      if (cost < best.cost - 1e-9) best = { candidate, start, cost };
    }
  }
  return { candidate: best.candidate, start: best.start };
}

/**
 * Perfect knowledge of the year with the product's cost of waiting: each job's least sum of grams and of `waitingCost`
 * (a share a day) of the grams of its best immediate start.
 */
export const placePatientClairvoyant = (world: World, tasks: readonly Task[], waitingCost: number): Placed[] =>
  tasks.map((task) => bestOf(world, task, (waitingCost * gramsNow(world, task)) / DAY_SECONDS));
