import { ANNOTATION } from "../../model/names.ts";
import { formatTime, parseDuration, parseTime } from "../../model/time.ts";
import type { ConditionInput, Resource } from "../types.ts";
import { conditionsOf } from "../../model/conditions.ts";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * When the composition has to start, in seconds since 1970: its schedulingTime, but never later than its deadline less
 * its duration; null where it names no start.
 */
export function startTime(composition: Resource): number | null {
  const spec = composition.spec ?? {};
  const start = parseTime(text(spec["schedulingTime"]));
  const deadline = parseTime(text(spec["deadline"]));
  const duration = parseDuration(text(spec["duration"]));
  if (start === null || deadline === null || duration === null) return start;
  return Math.min(start, deadline - duration);
}

export const isPaused = (composition: Resource): boolean =>
  composition.metadata.annotations?.[ANNOTATION.paused] === "true";

/** Something was installed for it before: a pause is then a person's, not the start's. */
function wasInstalled(composition: Resource): boolean {
  const managed = composition.status?.["managed"];
  return Array.isArray(managed) && managed.length > 0;
}

/** Landfall holds it back until its start: paused, decided, and nothing installed yet. */
export const isScheduled = (composition: Resource): boolean =>
  isPaused(composition) &&
  composition.metadata.annotations?.[ANNOTATION.decision] !== undefined &&
  composition.metadata.deletionTimestamp === undefined &&
  !wasInstalled(composition);

/** True where a held-back composition may start at `now` (seconds since 1970). */
export function isDue(composition: Resource, now: number): boolean {
  if (!isScheduled(composition)) return false;
  if (composition.metadata.annotations?.[ANNOTATION.startNow] !== undefined) return true;
  const start = startTime(composition);
  return start !== null && start <= now;
}

/** The condition that says when it starts, or that it has; none for one that was never held back. */
export function scheduledCondition(composition: Resource, now: number): ConditionInput[] {
  const start = startTime(composition);
  if (isScheduled(composition) && start !== null) {
    return [{ type: "Scheduled", status: "True", reason: "WaitingForStart", message: `starts ${formatTime(start)}` }];
  }
  const before = conditionsOf(composition).find(({ type }) => type === "Scheduled");
  if (before?.status !== "True") return [];
  return [{ type: "Scheduled", status: "False", reason: "Started", message: `started ${formatTime(now)}` }];
}
