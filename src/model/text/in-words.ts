import { DAY_SECONDS, HOUR_SECONDS } from "../time.ts";

/** 3 d 4 h, 5 h 12 min, 40 s: rounded down to two units for people. `seconds` is a positive integer. */
export function inWords(seconds: number): string {
  const [days, hours] = [Math.floor(seconds / DAY_SECONDS), Math.floor((seconds % DAY_SECONDS) / HOUR_SECONDS)];
  const minutes = Math.floor((seconds % HOUR_SECONDS) / 60);
  const join = (large: string, count: number, unit: string): string =>
    count === 0 ? large : `${large} ${String(count)} ${unit}`;
  if (days > 0) return join(`${String(days)} d`, hours, "h");
  if (hours > 0) return join(`${String(hours)} h`, minutes, "min");
  return minutes > 0 ? `${String(minutes)} min` : `${String(seconds)} s`;
}
