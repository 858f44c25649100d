import type { HourlyCurve } from "../model/places/intensity.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import { type Job, latestStart, type Placed, type Task } from "./job.ts";
import type { World } from "./world.ts";

// "Going Green for Less Green: Optimizing the Cost of Reducing Cloud Carbon Emissions" (Hanafy et al., ASPLOS 2024) sorts
// jobs into two queues by their length. A policy knows the average length of a queue, not that of a job.
const SHORT_SECONDS = 2 * HOUR_SECONDS;
const SHORT_WAIT_SECONDS = 6 * HOUR_SECONDS;
const LONG_WAIT_SECONDS = 24 * HOUR_SECONDS;

export const GAIA_RULES = ["lowest-slot", "lowest-window", "carbon-time"] as const;
export type GaiaRule = (typeof GAIA_RULES)[number];

const isShort = ({ durationSeconds }: Job): boolean => durationSeconds <= SHORT_SECONDS;

/** Mean length of the jobs of a queue, in seconds. */
function averageLength(tasks: readonly Task[], short: boolean): number {
  const lengths = tasks.flatMap(({ job }) => (isShort(job) === short ? [job.durationSeconds] : []));
  return lengths.reduce((sum, one) => sum + one, 0) / Math.max(1, lengths.length);
}

/** The arrival and the full hours up to the queue's limit and the deadline. */
function slots(job: Job): number[] {
  const limit = isShort(job) ? SHORT_WAIT_SECONDS : LONG_WAIT_SECONDS;
  const latest = Math.min(latestStart(job), job.arrival + limit);
  const starts = [job.arrival];
  for (let start = (Math.floor(job.arrival / HOUR_SECONDS) + 1) * HOUR_SECONDS; start <= latest; start += HOUR_SECONDS)
    starts.push(start);
  return starts;
}

/** The quantity that a rule minimizes. */
function costOf(rule: GaiaRule, forecast: HourlyCurve, arrival: number, seconds: number): (start: number) => number {
  if (rule === "lowest-slot") return (start) => forecast.meanOver(start, HOUR_SECONDS);
  if (rule === "lowest-window") return (start) => forecast.meanOver(start, seconds);
  const now = forecast.meanOver(arrival, seconds);
  // Carbon saved per time to completion.
  return (start) => -(now - forecast.meanOver(start, seconds)) / (start - arrival + seconds);
}

/**
 * A policy of GAIA at the origin, decided once with the forecast of `ours`: the hour with the least intensity, the window
 * of the queue's average length with the least mean, or the window that saves most for each hour to completion.
 */
export function placeByGaia(world: World, tasks: readonly Task[], rule: GaiaRule): Placed[] {
  const lengths = { short: averageLength(tasks, true), long: averageLength(tasks, false) };
  return tasks.map(({ job, atOrigin }) => {
    const { curve } = world.forecast(atOrigin.electricityZone ?? "", job.arrival);
    const cost = costOf(rule, curve, job.arrival, isShort(job) ? lengths.short : lengths.long);
    let [best, least] = [job.arrival, Number.POSITIVE_INFINITY];
    for (const start of slots(job)) {
      const value = cost(start);
      if (value < least - 1e-9) [best, least] = [start, value];
    }
    return { candidate: atOrigin, start: best };
  });
}
