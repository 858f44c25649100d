import { type PauseRules, reserveOf } from "../../model/runs/pause-rules.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../model/time.ts";
import { optionValue } from "../../placement/option-value.ts";
import type { SplitRequest } from "../../placement/split/split-request.ts";
import { splitRun } from "../../placement/split/split-run.ts";
import { latestStart, type Task } from "../job.ts";
import type { World } from "../world.ts";
import { PausingRun } from "./pausing-run.ts";
import { rulesFor, type Split } from "./split.ts";

export interface PauseOptions {
  rules: PauseRules;
  /** Share of the grams of an immediate run that one day of waiting has to save. */
  waitingCost: number;
  /** The same share for each pause. */
  pauseGain: number;
}

interface Active {
  index: number;
  task: Task;
  run: PausingRun;
}

const hourAfter = (time: number): number => (Math.floor(time / HOUR_SECONDS) + 1) * HOUR_SECONDS;

/** The state of a run at one moment, as a request for the rest of it. */
function requestOf(world: World, { task, run }: Active, nowSeconds: number, options: PauseOptions): SplitRequest {
  const { job, atOrigin } = task;
  const outlook = world.forecast(atOrigin.electricityZone ?? "", nowSeconds);
  const { durationSeconds, deadline } = job;
  const immediate = outlook.curve.meanOver(nowSeconds, durationSeconds) * durationSeconds;
  const { waitingCost } = options;
  const patience = optionValue({ nowSeconds, latestStart: latestStart(job), waitingCost });
  const { errors } = outlook.waitErrors(HOUR_SECONDS);
  return {
    curve: outlook.curve,
    nowSeconds,
    workSeconds: run.workSeconds,
    latestEnd: deadline,
    reserveSeconds: reserveOf(options.rules),
    rules: { ...rulesFor(options.rules, job), maxPauses: run.pauses },
    state: run.state,
    waitingCost: (waitingCost * immediate) / DAY_SECONDS,
    pauseCost: options.pauseGain * immediate,
    bonus: errors.map((error) => patience * error),
  };
}

function decide(world: World, active: Active, now: number, options: PauseOptions): void {
  if (now < active.run.busyUntil) return;
  const { segments } = splitRun(requestOf(world, active, now, options), HOUR_SECONDS);
  active.run.follow(segments, now, hourAfter(now));
}

/**
 * Landfall's runs with pauses at the origin: the rest of each run is split by the product's planner under the embedded
 * forecast at its arrival, and again each full hour until its end. Steps of an hour. `tasks` are sorted by arrival.
 */
export function pauseOurs(world: World, tasks: readonly Task[], options: PauseOptions): Split[] {
  const splits: Split[] = [];
  let active: Active[] = [];
  let next = 0;
  let hour = Math.floor((tasks[0]?.job.arrival ?? 0) / HOUR_SECONDS) * HOUR_SECONDS;
  for (; next < tasks.length || active.length > 0; hour += HOUR_SECONDS) {
    for (const one of active) decide(world, one, hour, options);
    for (let task = tasks[next]; task !== undefined && task.job.arrival < hour + HOUR_SECONDS; task = tasks[++next]) {
      const run = new PausingRun(task.job.durationSeconds, rulesFor(options.rules, task.job));
      const one = { index: next, task, run };
      decide(world, one, task.job.arrival, options);
      active.push(one);
    }
    for (const { index, task, run } of active) splits[index] = { candidate: task.atOrigin, segments: run.on };
    active = active.filter(({ run }) => !run.done);
  }
  return splits;
}
