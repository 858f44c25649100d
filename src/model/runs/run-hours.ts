import type { Placement } from "../decision.ts";
import { HOUR_SECONDS, parseTime } from "../time.ts";

/** Hours in which the machine of a run is on: pauses are not counted. Null for a long-running machine. */
export function runHours({ start, end, segments }: Pick<Placement, "start" | "end" | "segments">): number | null {
  if (end === null) return null;
  const parts = segments ?? [{ start, end }];
  const seconds = parts.reduce((sum, one) => sum + (parseTime(one.end) ?? 0) - (parseTime(one.start) ?? 0), 0);
  return seconds / HOUR_SECONDS;
}
