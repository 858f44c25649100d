import type { RunRecord } from "../../model/runs/run-record.ts";
import { HOUR_SECONDS } from "../../model/time.ts";
import { pausedSeconds } from "../../model/runs/run-times.ts";

/** What a run took, as it was decided. */
export interface RunAccount {
  hours: number;
  /** USD of list price; null if the price is not known. */
  usd: number | null;
  /** CO2e of the decided run; null if it is not known. */
  grams: number | null;
}

/** The account of a run until `until`, in seconds since 1970. Its machine is not paid for in pauses. */
export function runAccount({ startedAt, pricePerHour, gramsCO2, plan }: RunRecord, until: number): RunAccount {
  const seconds = until - startedAt - pausedSeconds(plan, startedAt, until);
  const hours = Math.max(0, seconds) / HOUR_SECONDS;
  return { hours, usd: pricePerHour === null ? null : hours * pricePerHour, grams: gramsCO2 };
}

/** USD since `from`; null if the price is not known. */
export const costSince = ({ pricePerHour }: RunRecord, from: number, now: number): number | null =>
  pricePerHour === null ? null : (pricePerHour * Math.max(0, now - from)) / HOUR_SECONDS;

export const formatUsd = (usd: number | null): string => (usd === null ? "an unknown price" : `${usd.toFixed(2)} USD`);
