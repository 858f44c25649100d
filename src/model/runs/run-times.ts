import type { PausingTimes, RunTimes } from "../pausing-times.ts";
import type { RunPlan, RunRecord } from "./run-record.ts";

/** A time in which the machine of a run is stopped, in seconds since 1970: the resume begins at `to`. */
export type Pause = NonNullable<RunPlan["pauses"]>[number];

/** Whether a run has no machine now, and creates one to go on: after a pause that deleted it, or after an eviction. */
export const lacksMachine = ({ plan, evictions, wasReady, end }: RunRecord): boolean =>
  !wasReady && end === null && !plan.retains && (plan.recreates === true || evictions?.waiting === true);

/** The times of a recorded run that may pause, which started then; null for another one, and for one that is over. */
export function pausingTimes({ plan, end, firstStartedAt }: RunRecord, startedAt: number): PausingTimes | null {
  const { duration, maxLifetime, pauses, resume } = plan;
  if (pauses === undefined || end !== null) return null;
  const limit = maxLifetime === null ? null : (firstStartedAt ?? startedAt) + maxLifetime;
  return { plan: { duration, pauses, ...(resume === undefined ? {} : { resume }) }, startedAt, limit };
}

/** The pauses of a run that started then: one that should have begun before is left out. */
export const pausesSince = ({ pauses = [] }: RunTimes["plan"], startedAt: number): Pause[] =>
  pauses.filter(({ from }) => from > startedAt);

/** When the work of a run is done, with its pauses and resumes; null without a duration. */
export function workEnd(plan: RunTimes["plan"], startedAt: number): number | null {
  if (plan.duration === null) return null;
  const later = pausesSince(plan, startedAt).reduce((sum, { from, to }) => sum + to - from + (plan.resume ?? 0), 0);
  return startedAt + plan.duration + later;
}

/** The end of the pause at `now`; null if there is none. */
export const pausedUntil = (plan: RunTimes["plan"], startedAt: number, now: number): number | null =>
  pausesSince(plan, startedAt).find(({ from, to }) => from <= now && now < to)?.to ?? null;

/** The next beginning or end of a pause; null if none is ahead. */
export function nextTurn(plan: RunTimes["plan"], startedAt: number, now: number): number | null {
  const times = pausesSince(plan, startedAt).flatMap(({ from, to }) => [from, to]);
  return times.find((time) => time > now) ?? null;
}

/** Seconds of pauses between the start and `until`. */
export const pausedSeconds = (plan: RunTimes["plan"], startedAt: number, until: number): number =>
  pausesSince(plan, startedAt).reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, until) - from), 0);
