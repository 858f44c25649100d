import { parseDuration, parseTime } from "../time.ts";
import { isObject, stringOf } from "../json.ts";
import { readPlacement } from "./compact-decision.ts";
import type { Resource } from "../kubernetes.ts";

/** Upper limit of the time to resume while all processes run: a start at the last moment counts as in time. */
const RESUMING_SECONDS = 10;

/** Seconds that the decision leaves for the boot. */
function bootSecondsOf(composition: Resource): number {
  const { boot } = readPlacement(composition);
  const seconds = isObject(boot) ? boot["seconds"] : 0;
  return typeof seconds === "number" && seconds > 0 ? seconds : 0;
}

/**
 * The planned start of a composition, in seconds since 1970: its schedulingTime, but never later than its deadline
 * minus its duration and the time to boot; null if it has no start.
 */
export function plannedStart(composition: Resource): number | null {
  const spec = composition.spec ?? {};
  const start = parseTime(stringOf(spec["schedulingTime"]));
  const deadline = parseTime(stringOf(spec["deadline"]));
  const duration = parseDuration(stringOf(spec["duration"]));
  if (start === null || deadline === null || duration === null) return start;
  return Math.min(start, deadline - duration - bootSecondsOf(composition));
}

/**
 * Seconds by which a run that starts at `nowSeconds` misses its deadline; 0 if it ends in time, has no deadline or no
 * duration, or misses it by no more than the time to resume.
 */
export function missesDeadlineBy(composition: Resource, nowSeconds: number): number {
  const spec = composition.spec ?? {};
  const deadline = parseTime(stringOf(spec["deadline"]));
  const duration = parseDuration(stringOf(spec["duration"]));
  if (deadline === null || duration === null) return 0;
  const late = nowSeconds + bootSecondsOf(composition) + duration - deadline;
  return late > RESUMING_SECONDS ? late : 0;
}
