import { NEW_METER, type RunRecord } from "../../../model/runs/run-record.ts";
import { workEnd } from "../../../model/runs/run-times.ts";
import type { Resource } from "../../types.ts";
import { latestEnd } from "../state/next-run-step.ts";
import { machineOffSince, machineSince } from "./run-sign.ts";

/** The run that begins at `now`, because its machine is there: its limit counts from its first start. Pauses that are over by then are none of it. */
export function begunNow({ refused: _refused, ...record }: RunRecord, now: number): RunRecord {
  const { startedAt, firstStartedAt = startedAt } = record;
  return { ...record, startedAt: now, firstStartedAt, meter: { ...NEW_METER, at: now } };
}

/** Whether a run began so, and nothing was counted since. */
export const hasBegunLate = ({ startedAt, meter }: RunRecord): boolean => meter?.at === startedAt;

/** The latest start after which the work is done in time; null without a duration, and if nothing ends it. */
function latestStart(record: RunRecord): number | null {
  const latest = latestEnd(record.plan, record);
  const end = workEnd(record.plan, record.startedAt);
  return latest === null || end === null ? null : latest - (end - record.startedAt);
}

/** Since when a machine that came after `earliest` is on: as its provider or its operator says. Null if neither says it. */
export function saidSince(live: readonly Resource[], earliest: number, now: number): number | null {
  const since = machineSince(live);
  return since !== null && since > earliest ? Math.min(since, now) : null;
}

/** Since when a machine that was on at `earliest` is off, as its provider says. Null if it does not say it. */
export function saidOffSince(live: readonly Resource[], earliest: number, now: number): number | null {
  const since = machineOffSince(live);
  return since === null ? null : Math.min(Math.max(since, earliest), now);
}

/** The time at which the run on a machine began that a controller sees come at `now`. */
export const seenSince = ({ startedAt }: RunRecord, live: readonly Resource[], now: number): number =>
  saidSince(live, startedAt, now) ?? now;

/**
 * The time at which the run on a machine began that came while no controller looked. Without such a time, it is the latest one at which its work is done in
 * time, in favour of a machine that is there.
 */
export const unseenSince = (record: RunRecord, live: readonly Resource[], now: number): number =>
  saidSince(live, record.startedAt, now) ?? Math.max(record.startedAt, Math.min(now, latestStart(record) ?? now));
