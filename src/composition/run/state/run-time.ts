import type { RunRecord } from "../../../model/runs/run-record.ts";
import { pausesSince } from "../../../model/runs/run-times.ts";

type Paced = Pick<RunRecord, "plan" | "bootSeconds" | "evictions">;

/**
 * Seconds of a run that pass in one second: one, but for local mode. There, what would take days has a time lapse: a run that may
 * pause, once its machine was ready, and one that began again after an eviction.
 */
export function paceOf({ plan, bootSeconds, evictions }: Paced, timeLapse = 1): number {
  const pauses = plan.pauses !== undefined && typeof bootSeconds === "number";
  return pauses || evictions?.waiting === false ? timeLapse : 1;
}

/** Since when a run with this time lapse takes part in it, in seconds since 1970. */
const lapseSince = ({ startedAt, firstStartedAt = startedAt, bootSeconds, unlapsed = 0 }: RunRecord): number =>
  Math.max(startedAt, firstStartedAt + (bootSeconds ?? 0)) + unlapsed;

/** The end of the pause that began last, if the machine is not there again since; null otherwise. */
function resumingSince({ wasReady, plan, startedAt }: RunRecord, time: number): number | null {
  const last = pausesSince(plan, startedAt).findLast(({ from }) => from <= time);
  return wasReady || last === undefined || last.to > time ? null : last.to;
}

/**
 * The time of a run, in seconds since 1970: `now` by the API server's clock, without a time lapse. There is none while a machine starts again after
 * a pause: its provider's seconds are not to be hours of the run.
 */
export function runTime(record: RunRecord, now: number, timeLapse?: number): number {
  const [pace, since] = [paceOf(record, timeLapse), lapseSince(record)];
  const time = now + Math.max(0, now - since) * (pace - 1);
  const resumed = pace === 1 ? null : resumingSince(record, time);
  return resumed === null ? time : resumed + now - (resumed + since * (pace - 1)) / pace;
}

/** The record of a run whose machine is there again at `time` of the run, after `before`: what passed without a time lapse is kept. */
export function withUnlapsed(record: RunRecord, before: RunRecord, time: number, timeLapse?: number): RunRecord {
  const resumed = paceOf(before, timeLapse) === 1 || !record.wasReady ? null : resumingSince(before, time);
  return resumed === null ? record : { ...record, unlapsed: (before.unlapsed ?? 0) + time - resumed };
}
