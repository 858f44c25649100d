import type { IntensityCurve } from "../model/places/intensity.ts";
import { DAY_SECONDS } from "../model/time.ts";

export const QUARTER_SECONDS = 900;

/** gCO2eq/kWh × s from `base` (seconds since 1970) to each quarter of an hour after it. */
export interface QuarterSums {
  base: number;
  sums: Float64Array;
}

// Curves are immutable, so sums are cached.
const known = new WeakMap<IntensityCurve, QuarterSums>();

/**
 * Prefix sums of a curve that cover `from` to `to` (seconds since 1970), computed once per curve and day. The curve
 * counts as constant within a quarter of an hour.
 */
export function quarterSums(curve: IntensityCurve, from: number, to: number): QuarterSums {
  const earlier = known.get(curve);
  const base = Math.floor(from / DAY_SECONDS) * DAY_SECONDS;
  // One more than needed: a run may end within a quarter.
  const quarters = Math.ceil((to - base) / QUARTER_SECONDS) + 1;
  if (earlier?.base === base && earlier.sums.length > quarters) return earlier;
  const rounded = Math.ceil(quarters / 96) * 96;
  const sums = new Float64Array(rounded + 1);
  for (let index = 0; index < rounded; index++) {
    const mean = curve.meanOver(base + index * QUARTER_SECONDS, QUARTER_SECONDS);
    sums[index + 1] = (sums[index] ?? 0) + mean * QUARTER_SECONDS;
  }
  const made = { base, sums };
  known.set(curve, made);
  return made;
}

export interface StartWindow {
  /** Seconds since 1970. */
  nowSeconds: number;
  /** Null: a long-running machine, which starts now. */
  durationSeconds: number | null;
  /** Null: no slack, start now, unless there is a limit of waiting. */
  deadline: number | null;
  /** No start is later than this, whatever the deadline; unlimited if omitted. */
  latestStart?: number;
  /** A start that the user fixed. */
  pinnedStart: number | null;
  /** From the start until work begins, which the deadline has to leave as well; 0 if omitted. */
  bootSeconds?: number;
  /** Longest time to a start. */
  horizonSeconds: number;
}

/** A first start, then `count` more in steps of a quarter of an hour from `grid`. Seconds since 1970. */
export interface Starts {
  first: number;
  grid: number;
  count: number;
}

/** The start with this index; 0 is the first one. */
export const startAt = ({ first, grid }: Starts, index: number): number =>
  index === 0 ? first : grid + (index - 1) * QUARTER_SECONDS;

/**
 * The possible starts: now, then each full quarter of an hour from which the run ends before the deadline, within the
 * horizon. Work without slack has one start.
 */
export function possibleStarts(window: StartWindow): Starts {
  const { nowSeconds, durationSeconds, deadline, latestStart, pinnedStart, horizonSeconds, bootSeconds = 0 } = window;
  const grid = (Math.floor(nowSeconds / QUARTER_SECONDS) + 1) * QUARTER_SECONDS;
  if (pinnedStart !== null) return { first: pinnedStart, grid, count: 0 };
  if (durationSeconds === null || (deadline === null && latestStart === undefined))
    return { first: nowSeconds, grid, count: 0 };
  const byDeadline = deadline === null ? Number.POSITIVE_INFINITY : deadline - durationSeconds - bootSeconds;
  const latest = Math.min(byDeadline, latestStart ?? Number.POSITIVE_INFINITY, nowSeconds + horizonSeconds);
  return { first: nowSeconds, grid, count: Math.max(0, Math.floor((latest - grid) / QUARTER_SECONDS) + 1) };
}
