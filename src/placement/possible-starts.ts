import { QUARTER_SECONDS } from "./quarter-sums.ts";

export interface StartWindow {
  /** Seconds since 1970. */
  nowSeconds: number;
  /** Null: a long-running machine, which starts now. */
  durationSeconds: number | null;
  /** Null: no slack, start now. */
  deadline: number | null;
  /** A start that the user fixed. */
  pinnedStart: number | null;
  /** Longest look-ahead. */
  horizonSeconds: number;
}

/** A first start, then `count` more, a quarter of an hour apart from `grid` on. Seconds since 1970. */
export interface Starts {
  first: number;
  grid: number;
  count: number;
}

/** The start with this index: 0 is the first one. */
export const startAt = ({ first, grid }: Starts, index: number): number =>
  index === 0 ? first : grid + (index - 1) * QUARTER_SECONDS;

/**
 * Every start that is worth a look: now, then each full quarter of an hour that still ends before the deadline and begins
 * within the horizon. Work without slack has one.
 */
export function possibleStarts(window: StartWindow): Starts {
  const { nowSeconds, durationSeconds, deadline, pinnedStart, horizonSeconds } = window;
  const grid = (Math.floor(nowSeconds / QUARTER_SECONDS) + 1) * QUARTER_SECONDS;
  if (pinnedStart !== null) return { first: pinnedStart, grid, count: 0 };
  if (durationSeconds === null || deadline === null) return { first: nowSeconds, grid, count: 0 };
  const latest = Math.min(deadline - durationSeconds, nowSeconds + horizonSeconds);
  return { first: nowSeconds, grid, count: Math.max(0, Math.floor((latest - grid) / QUARTER_SECONDS) + 1) };
}
