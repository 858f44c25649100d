import { parseDuration, parseTime } from "../time.ts";
import type { Resource } from "../kubernetes.ts";

/** Upper limit of the time to resume while all processes run: a start at the last moment counts as in time. */
const RESUMING_SECONDS = 10;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * The planned start of a composition, in seconds since 1970: its schedulingTime, but never later than its deadline
 * minus its duration; null if it has no start.
 */
export function plannedStart(composition: Resource): number | null {
  const spec = composition.spec ?? {};
  const start = parseTime(text(spec["schedulingTime"]));
  const deadline = parseTime(text(spec["deadline"]));
  const duration = parseDuration(text(spec["duration"]));
  if (start === null || deadline === null || duration === null) return start;
  return Math.min(start, deadline - duration);
}

/**
 * Seconds by which a run that starts at `nowSeconds` misses its deadline; 0 if it ends in time, has no deadline or no
 * duration, or misses it by no more than the time to resume.
 */
export function missesDeadlineBy(composition: Resource, nowSeconds: number): number {
  const spec = composition.spec ?? {};
  const deadline = parseTime(text(spec["deadline"]));
  const duration = parseDuration(text(spec["duration"]));
  if (deadline === null || duration === null) return 0;
  const late = nowSeconds + duration - deadline;
  return late > RESUMING_SECONDS ? late : 0;
}
