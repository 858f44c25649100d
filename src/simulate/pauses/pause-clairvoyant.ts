import { DAY_SECONDS, HOUR_SECONDS } from "../../model/time.ts";
import { QUARTER_SECONDS } from "../../placement/possible-starts.ts";
import { splitRun } from "../../placement/split/split-run.ts";
import { placePatientClairvoyant } from "../place-patient-clairvoyant.ts";
import type { Task } from "../job.ts";
import type { World } from "../world.ts";
import type { PauseOptions } from "./pause-ours.ts";
import { rulesFor, type Split } from "./split.ts";

/** Longer runs are planned by the hour: measured intensity changes by the hour. */
const LONG_SECONDS = 48 * HOUR_SECONDS;

/**
 * Perfect knowledge of the year with pauses and the product's costs: the least sum of emissions, waiting and pauses on a grid of
 * quarters of an hour, or one continuous run from any second, if that costs less.
 */
export function pauseClairvoyant(world: World, tasks: readonly Task[], options: PauseOptions): Split[] {
  const unbroken = placePatientClairvoyant(world, tasks, options.waitingCost);
  return tasks.map(({ job, atOrigin }, index) => {
    const { arrival, durationSeconds, deadline } = job;
    const curve = world.truth(atOrigin);
    const immediate = curve.meanOver(arrival, durationSeconds) * durationSeconds;
    const waitingCost = (options.waitingCost * immediate) / DAY_SECONDS;
    const rules = rulesFor(options.rules, job);
    const request = {
      ...{ curve, nowSeconds: arrival, workSeconds: durationSeconds, latestEnd: deadline, rules, waitingCost },
      ...{ state: { is: "waiting" } as const, pauseCost: options.pauseGain * immediate, reserveSeconds: 0 },
    };
    const plan = splitRun(request, durationSeconds > LONG_SECONDS ? HOUR_SECONDS : QUARTER_SECONDS);
    const start = unbroken[index]?.start ?? arrival;
    const whole = curve.meanOver(start, durationSeconds) * durationSeconds + waitingCost * (start - arrival);
    const segments = plan.cost <= whole ? plan.segments : [{ start, end: start + durationSeconds }];
    return { candidate: atOrigin, segments };
  });
}
