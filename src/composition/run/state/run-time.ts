import type { RunRecord } from "../../../model/runs/run-record.ts";

type Paced = Pick<RunRecord, "plan" | "bootSeconds" | "evictions">;

/**
 * Seconds of a run that pass in one second: one, but for local mode. There, what would take days has a time lapse: a run that may
 * pause, once its machine was ready, and one that began again after an eviction.
 */
export function paceOf({ plan, bootSeconds, evictions }: Paced, timeLapse = 1): number {
  const pauses = plan.pauses !== undefined && typeof bootSeconds === "number";
  return pauses || evictions?.waiting === false ? timeLapse : 1;
}

/** The time of a run, in seconds since 1970: `now` by the API server's clock, without a time lapse. */
export function runTime(record: RunRecord, now: number, timeLapse?: number): number {
  const { startedAt, firstStartedAt = startedAt, bootSeconds } = record;
  const since = Math.max(startedAt, firstStartedAt + (bootSeconds ?? 0));
  return now + Math.max(0, now - since) * (paceOf(record, timeLapse) - 1);
}
