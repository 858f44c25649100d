import type { PauseRules, Segment } from "../../model/runs/pause-rules.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../model/time.ts";
import type { Job, Task } from "../job.ts";
import type { World } from "../world.ts";
import type { Split } from "./split.ts";

/** A time from the arrival to the deadline within one hour of the clock. */
interface Slot extends Segment {
  /** Forecast, gCO2eq/kWh. */
  intensity: number;
}

function slotsOf(world: World, { job, atOrigin }: Task): Slot[] {
  const { curve } = world.forecast(atOrigin.electricityZone ?? "", job.arrival);
  const slots: Slot[] = [];
  for (let start = job.arrival; start < job.deadline;) {
    const end = Math.min((Math.floor(start / HOUR_SECONDS) + 1) * HOUR_SECONDS, job.deadline);
    slots.push({ start, end, intensity: curve.meanOver(start, end - start) });
    start = end;
  }
  return slots;
}

/** The segments of slots in order of time. A pause that is too short for a resume is run through. */
function joined(slots: readonly Slot[], { resumeSeconds }: PauseRules): Segment[] {
  const segments: Segment[] = [];
  for (const { start, end } of slots) {
    const last = segments.at(-1);
    if (last !== undefined && start - last.end <= resumeSeconds) last.end = end;
    else segments.push({ start: last === undefined ? start : start - resumeSeconds, end });
  }
  return segments;
}

/** The first `seconds` of the slots. */
function cut(slots: readonly Slot[], seconds: number): Slot[] {
  let left = seconds;
  const taken: Slot[] = [];
  for (const slot of slots) {
    if (left <= 0) break;
    const length = Math.min(left, slot.end - slot.start);
    taken.push({ ...slot, end: slot.start + length });
    left -= length;
  }
  return taken;
}

/**
 * The interrupting strategy of "Let's Wait Awhile" (Wiesner et al., Middleware 2021; strategy.py of
 * dos-group/lets-wait-awhile): decided once, the run takes the hours with the least forecast intensity before the
 * deadline, with any number of pauses. It does not know what a resume takes, but pays for it here.
 */
export const letsWaitAwhileInterrupting = (world: World, tasks: readonly Task[], rules: PauseRules): Split[] =>
  tasks.map((task) => {
    const cheapest = [...slotsOf(world, task)].sort((a, b) => a.intensity - b.intensity || a.start - b.start);
    const chosen = cut(cheapest, task.job.durationSeconds).sort((a, b) => a.start - b.start);
    return { candidate: task.atOrigin, segments: joined(chosen, rules) };
  });

/** Share of the next day's hours whose intensity is low enough to run. */
const LOW = 0.3;

/** The value below which the share of values lies, interpolated. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
}

function belowThreshold(world: World, task: Task): Slot[] {
  const { job, atOrigin } = task;
  const { curve } = world.forecast(atOrigin.electricityZone ?? "", job.arrival);
  const day = Array.from({ length: DAY_SECONDS / HOUR_SECONDS }, (_, hour) =>
    curve.meanOver(job.arrival + hour * HOUR_SECONDS, HOUR_SECONDS),
  );
  return whileLow(slotsOf(world, task), quantile(day, LOW), job);
}

/** Runs in slots below the limit, and in all once there is no more time to wait. */
function whileLow(slots: readonly Slot[], limit: number, { arrival, durationSeconds, deadline }: Job): Slot[] {
  let wait = deadline - arrival - durationSeconds;
  let left = durationSeconds;
  const taken: Slot[] = [];
  for (const slot of slots) {
    const skipped = slot.intensity < limit ? 0 : Math.min(wait, slot.end - slot.start);
    wait -= skipped;
    const start = slot.start + skipped;
    const length = Math.min(left, slot.end - start);
    if (length > 0) taken.push({ ...slot, start, end: start + length });
    left -= length;
  }
  return taken;
}

/**
 * The suspend-resume baseline of the authors of CarbonScaler (Hanafy et al., SIGMETRICS 2024) with a threshold, as in their
 * simulator (compute_schedule_threshold of umassos/GAIA): decided once, the run works while the forecast intensity is
 * below the 30th percentile of the next 24 hours, and without pause once no slack is left. Their other baseline, with
 * the least hours before the deadline, is that of Let's Wait Awhile.
 */
export const suspendResume = (world: World, tasks: readonly Task[], rules: PauseRules): Split[] =>
  tasks.map((task) => ({ candidate: task.atOrigin, segments: joined(belowThreshold(world, task), rules) }));
