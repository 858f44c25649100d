import { readPlacement } from "../../model/decision-annotation/compact-decision.ts";
import { isObject } from "../../model/json.ts";
import { readPauses } from "../../model/pause-rules.ts";
import type { RunPlan } from "../../model/run-record.ts";
import { parseTime } from "../../model/time.ts";
import type { Resource } from "../types.ts";

type Pause = NonNullable<RunPlan["pauses"]>[number];

const timeOf = (value: unknown): number => (typeof value === "string" ? (parseTime(value) ?? Number.NaN) : Number.NaN);

/** The times between the decided parts of a run; null if they are not in order. */
function between(segments: readonly unknown[]): Pause[] | null {
  const parts = segments.map((one) => (isObject(one) ? one : {}));
  const pauses = parts.slice(1).map(({ start }, at) => ({ from: timeOf(parts[at]?.["end"]), to: timeOf(start) }));
  const inOrder = pauses.every(({ from, to }, at) => from < to && (at === 0 || (pauses[at - 1]?.to ?? 0) < from));
  return inOrder ? pauses : null;
}

/** The plan with the pauses that admission decided for the object. */
export function withPauses(plan: RunPlan, object: Resource): RunPlan {
  const { segments } = readPlacement(object);
  const rules = readPauses(object.spec ?? {});
  const pauses = Array.isArray(segments) && rules !== null ? between(segments) : null;
  return pauses === null || rules === null ? plan : { ...plan, pauses, resume: rules.resumeSeconds };
}

/** The pauses of a run that started then: one that should have begun before is left out. */
const pausesSince = ({ pauses = [] }: RunPlan, startedAt: number): Pause[] =>
  pauses.filter(({ from }) => from > startedAt);

/** When the work of a run is done, with its pauses and resumes; null without a duration. */
export function workEnd(plan: RunPlan, startedAt: number): number | null {
  if (plan.duration === null) return null;
  const later = pausesSince(plan, startedAt).reduce((sum, { from, to }) => sum + to - from + (plan.resume ?? 0), 0);
  return startedAt + plan.duration + later;
}

/** The end of the pause at `now`; null if there is none. */
export const pausedUntil = (plan: RunPlan, startedAt: number, now: number): number | null =>
  pausesSince(plan, startedAt).find(({ from, to }) => from <= now && now < to)?.to ?? null;

/** The next beginning or end of a pause; null if none is ahead. */
export function nextTurn(plan: RunPlan, startedAt: number, now: number): number | null {
  const times = pausesSince(plan, startedAt).flatMap(({ from, to }) => [from, to]);
  return times.find((time) => time > now) ?? null;
}

/** Seconds of pauses between the start and `until`. */
export const pausedSeconds = (plan: RunPlan, startedAt: number, until: number): number =>
  pausesSince(plan, startedAt).reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, until) - from), 0);
