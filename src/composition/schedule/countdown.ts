import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../model/time.ts";

const QUARTER = 900;
/** Below this many seconds the text counts minutes. */
const NEAR = 7200;

export interface Countdown {
  /** `2 h 15 min` */
  text: string;
  /** Ms until the text changes. */
  nextMs: number;
}

function spell(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / DAY_SECONDS), "d"],
    [Math.floor((seconds % DAY_SECONDS) / HOUR_SECONDS), "h"],
    [Math.floor((seconds % HOUR_SECONDS) / MINUTE_SECONDS), "min"],
  ];
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${String(count)} ${unit}`])).join(" ");
}

/**
 * The remaining time as a text that rarely changes, so that few status writes are needed: by the minute in the last two
 * hours, rounded up; before, to the nearest quarter of an hour. `seconds` is a positive integer.
 */
export function countdown(seconds: number): Countdown {
  if (seconds <= NEAR) {
    const shown = Math.ceil(seconds / MINUTE_SECONDS) * MINUTE_SECONDS;
    return { text: spell(shown), nextMs: (seconds - shown + MINUTE_SECONDS) * 1000 };
  }
  const shown = Math.round(seconds / QUARTER) * QUARTER;
  const next = Math.max(shown - QUARTER / 2 - 1, NEAR);
  return { text: spell(shown), nextMs: (seconds - next) * 1000 };
}
