import { ANNOTATION } from "../../model/names.ts";
import { startReason } from "../../model/start-reason.ts";
import { formatTime, parseDuration, parseTime } from "../../model/time.ts";
import type { ConditionInput, Resource } from "../types.ts";
import { conditionsOf } from "../../model/conditions.ts";
import { countdown } from "./countdown.ts";

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
  if (startReason(composition) !== null) return true;
  const start = startTime(composition);
  return start !== null && start <= now;
}

/** Ms until the countdown of a held-back composition changes; null for one that waits for no start. */
export function nextCountdown(composition: Resource, now: number): number | null {
  const start = startTime(composition);
  if (!isScheduled(composition) || start === null || start <= now) return null;
  return countdown(start - now).nextMs;
}

function waiting(start: number, now: number): string {
  const at = formatTime(start);
  return start > now ? `starts in ${countdown(start - now).text} (at ${at})` : `starts at once (its start was ${at})`;
}

/** The condition that says when it starts, or that it has; none for one that was never held back. */
export function scheduledCondition(composition: Resource, now: number): ConditionInput[] {
  const start = startTime(composition);
  if (isScheduled(composition) && start !== null) {
    return [{ type: "Scheduled", status: "True", reason: "WaitingForStart", message: waiting(start, now) }];
  }
  const before = conditionsOf(composition).find(({ type }) => type === "Scheduled");
  if (before?.status !== "True") return [];
  const why = startReason(composition);
  const message = `started ${formatTime(now)}${why === null ? "" : `, before its time: ${why}`}`;
  return [{ type: "Scheduled", status: "False", reason: why === null ? "Started" : "StartedNow", message }];
}
