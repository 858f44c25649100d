import type { ZoneHour } from "../../../../src/console/contract/timeline.ts";
import { HOUR_MS } from "../../../../src/model/time.ts";

/** The hour with the lowest intensity from now on; null if all shown hours are over. `from`: of the first hour, in ms since 1970. Pure. */
export function cleanestHour(
  hours: readonly ZoneHour[],
  from: number,
  now: number,
): { at: number; value: number } | null {
  const ahead = hours.flatMap(({ value }, at) => {
    const begins = from + at * HOUR_MS;
    return begins + HOUR_MS > now ? [{ at: begins, value }] : [];
  });
  return ahead.toSorted((a, b) => a.value - b.value || a.at - b.at)[0] ?? null;
}
