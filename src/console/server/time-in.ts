import { LandfallError } from "../../errors.ts";
import { parseTime } from "../../model/time.ts";

/** The seconds since 1970 of a time in a query; now without one. Throws CONSOLE_REQUEST. */
export function timeIn(name: string, at: string | undefined, now: number): number {
  if (at === undefined) return now;
  const seconds = parseTime(at);
  if (seconds === null) throw new LandfallError("CONSOLE_REQUEST", { detail: `${name} is not a time (RFC 3339)` });
  return seconds;
}
