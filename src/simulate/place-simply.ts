import { HourlyCurve, type IntensityCurve } from "../model/places/intensity.ts";
import type { Candidate } from "../model/policy.ts";
import { DAY_HOURS, HOUR_SECONDS } from "../model/time.ts";
import { choosePlacement } from "../placement/choose-placement.ts";
import { latestStart, type Placed, type Task } from "./job.ts";
import { random } from "./random.ts";
import type { World } from "./world.ts";

/** Runs each job immediately at its origin: the baseline. */
export const runNowAtOrigin = (tasks: readonly Task[]): Placed[] =>
  tasks.map(({ atOrigin, job }) => ({ candidate: atOrigin, start: job.arrival }));

function leastOf(candidates: readonly Candidate[], cost: (candidate: Candidate) => number): Candidate | undefined {
  let best = candidates[0];
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const value = cost(candidate);
    if (value < least) [least, best] = [value, candidate];
  }
  return best;
}

/** Runs each job immediately in a random allowed region. */
export function randomRegion(tasks: readonly Task[], seed: number): Placed[] {
  const next = random(seed);
  return tasks.map(({ allowed, atOrigin, job }) => ({
    candidate: allowed[Math.floor(next() * allowed.length)] ?? atOrigin,
    start: job.arrival,
  }));
}

/** Runs each job immediately in the allowed region whose grid has been cleanest on average so far. */
export const lowestAverageRegion = (world: World, tasks: readonly Task[]): Placed[] =>
  tasks.map(({ allowed, atOrigin, job }) => {
    const mean = (candidate: Candidate): number => world.meanSoFar(candidate, job.arrival);
    return { candidate: leastOf(allowed, mean) ?? atOrigin, start: job.arrival };
  });

/** Runs each job immediately in the allowed region whose grid was cleanest in the last measured hour. */
export const greedyRegion = (world: World, tasks: readonly Task[]): Placed[] =>
  tasks.map(({ allowed, atOrigin, job }) => {
    const last = (candidate: Candidate): number => {
      const [value] = world.lastHours(candidate.electricityZone ?? "", job.arrival, 1);
      return value ?? world.meanSoFar(candidate, job.arrival);
    };
    return { candidate: leastOf(allowed, last) ?? atOrigin, start: job.arrival };
  });

function planOnce(world: World, task: Task, candidates: readonly Candidate[], curveOf: CurveOf): Placed {
  const { arrival: nowSeconds, durationSeconds, deadline } = task.job;
  const zones = new Set(candidates.map(({ electricityZone }) => electricityZone ?? ""));
  const curves = new Map([...zones].map((zone) => [zone, curveOf(zone, nowSeconds)]));
  const { power, objective, horizonSeconds } = world;
  const window = { nowSeconds, durationSeconds, deadline, pinnedStart: null, horizonSeconds };
  const [best] = choosePlacement({ candidates, curves, power, objective, window }).ranked;
  const start = Math.min(best?.start ?? nowSeconds, latestStart(task.job));
  return { candidate: best?.candidate ?? task.atOrigin, start };
}

type CurveOf = (zone: string, nowSeconds: number) => IntensityCurve;

/** A forecast that repeats the last day. */
function persistence(world: World): CurveOf {
  return (zone, nowSeconds) => {
    const last = world.lastHours(zone, nowSeconds, DAY_HOURS);
    const length = last.length === 0 ? 1 : last.length * Math.ceil(216 / last.length);
    const values = new Float64Array(length);
    for (let from = 0; last.length > 0 && from < length; from += last.length) values.set(last, from);
    return new HourlyCurve(Math.floor(nowSeconds / HOUR_SECONDS) * HOUR_SECONDS, values, {
      source: "persistence",
      issuedAt: nowSeconds,
      until: null,
    });
  };
}

/**
 * Interrupt-free shifting of "Let's Wait Awhile" (Wiesner et al., Middleware 2021): at the origin, decided once, the
 * start whose run has the least forecast mean intensity.
 */
export const letsWaitAwhile = (world: World, tasks: readonly Task[]): Placed[] =>
  tasks.map((task) =>
    planOnce(world, task, [task.atOrigin], (zone, nowSeconds) => world.forecast(zone, nowSeconds).curve),
  );

/** Chooses place and time together by a forecast that repeats the last day. Decided once. */
export const persistenceGreedy = (world: World, tasks: readonly Task[]): Placed[] =>
  tasks.map((task) => planOnce(world, task, task.allowed, persistence(world)));
