import type { Segment } from "./pause-rules.ts";
import type { RunTimes } from "../pausing-times.ts";
import { pausesSince, workEnd } from "./run-times.ts";

/** What a run does now: it has not begun, it has worked for `seconds` since it began or was resumed, or it is paused. */
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
