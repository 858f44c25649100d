import type { RunRecord } from "../../../model/runs/run-record.ts";
import { HOUR_SECONDS } from "../../../model/time.ts";
import { pausedSeconds, pausesSince } from "../../../model/runs/run-times.ts";

/** The use of a run, as it was decided. */
export interface RunAccount {
  hours: number;
  /** USD of list price; null if the price is not known. */
  usd: number | null;
  /** CO2e of the decided run; null if it is not known. */
  grams: number | null;
}

const NOTHING = { hours: 0, usd: 0 };

/** The account of a run until `until`, in seconds since 1970. Its machine is not paid for in pauses. */
export function runAccount(
  { startedAt, pricePerHour, gramsCO2, plan, refused, before = NOTHING }: RunRecord,
  until: number,
): RunAccount {
  if (refused === true) return { ...NOTHING, grams: 0 };
  const seconds = until - startedAt - pausedSeconds(plan, startedAt, until);
  const hours = Math.max(0, seconds) / HOUR_SECONDS;
  const present = Math.max(0, hours - before.hours);
  const usd = pricePerHour === null || before.usd === null ? null : before.usd + present * pricePerHour;
  return { hours, usd, grams: gramsCO2 };
}

/**
 * The record of a run that continues on a machine of this price after its last pause: it had no machine since that began. After an eviction, and
 * as long as it had none, its account begins again.
 */
export function withPrice(record: RunRecord, pricePerHour: number | null, now: number): RunRecord {
  if (record.evictions?.waiting === true || record.refused === true) return { ...record, pricePerHour };
  const begun = pausesSince(record.plan, record.startedAt).filter(({ from }) => from <= now);
  const { hours, usd } = runAccount(record, begun.at(-1)?.from ?? now);
  return { ...record, pricePerHour, before: { hours, usd } };
}

/** USD since `from`; null if the price is not known. */
export const costSince = ({ pricePerHour }: RunRecord, from: number, now: number): number | null =>
  pricePerHour === null ? null : (pricePerHour * Math.max(0, now - from)) / HOUR_SECONDS;

export const formatUsd = (usd: number | null): string => (usd === null ? "an unknown price" : `${usd.toFixed(2)} USD`);
