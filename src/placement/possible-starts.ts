const HOUR_SECONDS = 3600;

export interface StartWindow {
  /** Seconds since 1970. */
  now: number;
  /** Null: a long-running machine, which starts now. */
  durationSeconds: number | null;
  /** Null: no slack, start now. */
  deadline: number | null;
  /** A start that the user fixed. */
  pinnedStart: number | null;
  /** Longest look-ahead. */
  horizonSeconds: number;
}

/**
 * Every start that is worth a look, earliest first: now, then each full hour that still ends before the deadline and
 * begins within the horizon. Seconds since 1970. Never empty.
 */
export function possibleStarts(window: StartWindow): number[] {
  const { now, durationSeconds, deadline, pinnedStart, horizonSeconds } = window;
  if (pinnedStart !== null) return [pinnedStart];
  if (durationSeconds === null || deadline === null) return [now];
  const latest = Math.min(deadline - durationSeconds, now + horizonSeconds);
  const starts = [now];
  for (let start = (Math.floor(now / HOUR_SECONDS) + 1) * HOUR_SECONDS; start <= latest; start += HOUR_SECONDS) {
    starts.push(start);
  }
  return starts;
}
