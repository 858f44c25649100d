import type { PausingTimes, RunTimes } from "../pausing-times.ts";
import type { RunPlan, RunRecord } from "./run-record.ts";
import type { Segment } from "./pause-rules.ts";
import type { Placement } from "../decision.ts";
import { HOUR_SECONDS, parseTime } from "../time.ts";

/** A time in which the machine of a run is stopped, in seconds since 1970: the resume begins at `to`. */
export type Pause = NonNullable<RunPlan["pauses"]>[number];

/** Whether a run has no machine now, and creates one to continue: after a pause that deleted it, or after an eviction. */
export const lacksMachine = ({ plan, evictions, wasReady, end }: RunRecord): boolean =>
  !wasReady && end === null && !plan.retains && (plan.recreates === true || evictions?.waiting === true);

/** The times of a recorded run that may pause, which started then; null for another one, and for one that is over. */
export function pausingTimes({ plan, end, firstStartedAt }: RunRecord, startedAt: number): PausingTimes | null {
  const { duration, maxLifetime, pauses, resume } = plan;
  if (pauses === undefined || end !== null) return null;
  const limit = maxLifetime === null ? null : (firstStartedAt ?? startedAt) + maxLifetime;
  return { plan: { duration, pauses, ...(resume === undefined ? {} : { resume }) }, startedAt, limit };
}

/** The pauses of a run that started then: those that should have begun before, or only when its work is done, are omitted. */
export function pausesSince({ pauses = [], duration, resume = 0 }: RunTimes["plan"], startedAt: number): Pause[] {
  let end = duration === null ? Infinity : startedAt + duration;
  return pauses.filter(({ from, to }) => {
    const isWithin = from > startedAt && from < end;
    if (isWithin) end += to - from + resume;
    return isWithin;
  });
}

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

/** The current state of a run: it has not begun, it has worked for `seconds` since it began or was resumed, or it is paused. */
export type RunActivity = { is: "waiting" } | { is: "running"; seconds: number } | { is: "paused" };

/** The progress of a run at one moment, and the plan for the rest of it. */
export interface RunProgress {
  state: RunActivity;
  /** Work that is left, in seconds without resumes. */
  workSeconds: number;
  /** Pauses that have begun. */
  pauses: number;
  /** When the machine was on; if it runs, the last part ends now. Seconds since 1970. */
  done: Segment[];
  /** The rest as it is planned: if the machine runs, the first part begins now. */
  rest: Segment[];
}

/** Seconds around the beginning and the end of a pause and of the run in which its plan stays: a controller may be at it. */
const SETTLED_SECONDS = 60;

/** When the machine is on, from the start to the end; null without a duration. */
export function partsOf({ plan, startedAt }: RunTimes): Segment[] | null {
  const end = workEnd(plan, startedAt);
  if (end === null) return null;
  const pauses = pausesSince(plan, startedAt);
  const starts = [startedAt, ...pauses.map(({ to }) => to)];
  return starts.map((start, at) => ({ start, end: pauses[at]?.from ?? end }));
}

const secondsOf = (parts: readonly Segment[]): number => parts.reduce((sum, { start, end }) => sum + end - start, 0);

/** Whether the plan stays as it is: the run begins, pauses, continues or ends within a minute, or it has not begun or is over. */
function isSettled(parts: readonly Segment[], now: number): boolean {
  const turns = parts.flatMap(({ start, end }) => [start, end]);
  const [first = now, last = now] = [turns[0], turns.at(-1)];
  return now < first || now >= last || turns.some((turn) => Math.abs(turn - now) < SETTLED_SECONDS);
}

/**
 * How far a run is at `now`, seconds since 1970. Null if its plan stays as it is: it has no duration, it is resumed just now, or it
 * begins, pauses, continues or ends within a minute.
 */
export function progressAt(times: RunTimes, now: number): RunProgress | null {
  const parts = partsOf(times);
  const { resume = 0, duration } = times.plan;
  if (parts === null || duration === null || isSettled(parts, now)) return null;
  const done = parts.filter(({ start }) => start <= now).map(({ start, end }) => ({ start, end: Math.min(end, now) }));
  const rest = parts.filter(({ end }) => end > now).map(({ start, end }) => ({ start: Math.max(start, now), end }));
  const resumes = done.length - 1;
  const workSeconds = duration - secondsOf(done) + resume * resumes;
  if (rest[0]?.start !== now) return { state: { is: "paused" }, workSeconds, pauses: done.length, done, rest };
  const seconds = secondsOf(done.slice(-1)) - (resumes > 0 ? resume : 0);
  return seconds < 0 ? null : { state: { is: "running", seconds }, workSeconds, pauses: resumes, done, rest };
}

/** Hours in which the machine of a run is on: pauses are not counted. Null for a long-running machine. */
export function runHours({ start, end, segments }: Pick<Placement, "start" | "end" | "segments">): number | null {
  if (end === null) return null;
  const parts = segments ?? [{ start, end }];
  const seconds = parts.reduce((sum, one) => sum + (parseTime(one.end) ?? 0) - (parseTime(one.start) ?? 0), 0);
  return seconds / HOUR_SECONDS;
}
