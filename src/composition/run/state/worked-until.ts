import { isDeepStrictEqual } from "node:util";
import type { RunPlan, RunRecord } from "../../../model/runs/run-record.ts";

/** Seconds by which what was decided for now may be carried out later without another count of the work. */
export const LATE_SECONDS = 60;

/**
 * The plan of a run whose machine worked until `until`, without the time of its pauses in which it did so: no controller ran, or its provider did not stop
 * it. That work is done. A pause that began before its machine was on is kept, and so is each of a run that had no machine.
 */
export function workedUntil(
  plan: RunPlan,
  { bootSeconds, meter, refused }: Pick<RunRecord, "bootSeconds" | "meter" | "refused">,
  until: number,
): RunPlan {
  const { pauses } = plan;
  if (pauses === undefined || bootSeconds === undefined || meter?.on !== true || refused === true) return plan;
  const isKept = ({ from, to }: { from: number; to: number }): boolean => to > until || from <= meter.at;
  const isLate = ({ from }: { from: number }): boolean => from > meter.at && from < until - LATE_SECONDS;
  const kept = pauses.filter(isKept).map((one) => (isLate(one) ? { from: until, to: one.to } : one));
  return isDeepStrictEqual(kept, pauses) ? plan : { ...plan, pauses: kept };
}

/** The plan of a run whose machine was there since before a pause: it was not stopped in it. */
export const withoutMissed = (plan: RunPlan, record: RunRecord, now: number): RunPlan =>
  record.wasReady ? workedUntil(plan, record, now) : plan;
