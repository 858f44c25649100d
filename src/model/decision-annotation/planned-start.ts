import { parseDuration, parseTime } from "../time.ts";
import type { Resource } from "../kubernetes.ts";

/** Seconds that resuming takes at worst while all runs: a start at the last moment counts as in time. */
const RESUMING_SECONDS = 10;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * When the composition has to start, in seconds since 1970: its schedulingTime, but never later than its deadline less
 * its duration; null where it names no start.
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
 * Seconds by which a run that starts at `nowSeconds` ends after its deadline; 0 where it ends in time, names no deadline or no
 * duration, or misses by no more than resuming may take.
 */
export function missesDeadlineBy(composition: Resource, nowSeconds: number): number {
  const spec = composition.spec ?? {};
  const deadline = parseTime(text(spec["deadline"]));
  const duration = parseDuration(text(spec["duration"]));
  if (deadline === null || duration === null) return 0;
  const late = nowSeconds + duration - deadline;
  return late > RESUMING_SECONDS ? late : 0;
}
