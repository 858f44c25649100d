import type { RunMeter, RunRecord } from "../../../model/runs/run-record.ts";
import { HOUR_SECONDS } from "../../../model/time.ts";
import { pausedSeconds } from "../../../model/runs/run-times.ts";

/** The use of a run, as it was decided. */
export interface RunAccount {
  hours: number;
  /** USD of list price; null if the price is not known. */
  usd: number | null;
  /** CO2e of the decided run; null if it is not known. */
  grams: number | null;
}

const NOTHING = { hours: 0, usd: 0 };

type Use = Pick<RunAccount, "hours" | "usd">;

const plus = (one: Use, hours: number, price: number | null): Use => ({
  hours: one.hours + hours,
  usd: hours === 0 ? one.usd : price === null || one.usd === null ? null : one.usd + hours * price,
});

/** The use until `until` as it was planned: records of earlier versions have no meter. */
function plannedUse({ startedAt, pricePerHour, plan, before = NOTHING }: RunRecord, until: number): Use {
  const hours = Math.max(0, until - startedAt - pausedSeconds(plan, startedAt, until)) / HOUR_SECONDS;
  return { hours, usd: plus(before, Math.max(0, hours - before.hours), pricePerHour).usd };
}

function useUntil(record: RunRecord, until: number): Use {
  const { meter, startedAt, pricePerHour } = record;
  if (meter === undefined) return plannedUse(record, until);
  const seconds = meter.on ? Math.max(0, until - Math.max(meter.at, startedAt)) : 0;
  return plus(meter, seconds / HOUR_SECONDS, pricePerHour);
}

/** The account of a run until `until`, in seconds since 1970. Its machine is paid for while it is on. */
export function runAccount(record: RunRecord, until: number): RunAccount {
  const { gramsCO2, plan, refused } = record;
  if (refused === true) return { ...NOTHING, grams: 0 };
  const { hours, usd } = useUntil(record, until);
  // Without a duration, a decision has the grams of an hour.
  const grams = gramsCO2 === null || plan.duration !== null ? gramsCO2 : gramsCO2 * hours;
  return { hours, usd, grams };
}

/** Whether the machine of a run is on, as far as it is known. */
export const isMachineOn = ({ meter, wasReady }: Pick<RunRecord, "meter" | "wasReady">): boolean =>
  meter?.on ?? wasReady;

/** The record of a run whose machine is on or off from now on, or has another price. `now` in seconds since 1970. */
export function metered(
  record: RunRecord,
  now: number,
  change: { on?: boolean; pricePerHour?: number | null },
): RunRecord {
  const { on = isMachineOn(record), pricePerHour = record.pricePerHour } = change;
  const { before: _before, ...kept } = record;
  return { ...kept, pricePerHour, meter: { ...useUntil(record, now), at: now, on } };
}

/** Whether the machine of a run is on now, also after its end. One whose operator does not say it is on. */
export const isOnNow = (record: Pick<RunRecord, "end" | "off" | "meter" | "wasReady">): boolean =>
  record.end === null ? isMachineOn(record) : record.off !== true;

/** The use of a machine from `since` to `now`, as far as it was seen to be on. Before it was first counted, it was as it is now. */
export function overuseOf(record: RunRecord, since: number, now: number): RunMeter {
  const on = isOnNow(record);
  const before = record.overuse ?? { ...NOTHING, at: since, on };
  const hours = before.on ? Math.max(0, now - Math.max(before.at, since)) / HOUR_SECONDS : 0;
  return { ...plus(before, hours, record.pricePerHour), at: now, on };
}

/** The record with the use of its machine since then, counted up to now where it is turned on or off; without it, if nothing is overdue. */
export function withOveruse(record: RunRecord, since: number | null, now: number): RunRecord {
  const { overuse, ...kept } = record;
  if (since === null) return overuse === undefined ? record : kept;
  const isSame = overuse !== undefined && overuse.on === isOnNow(record);
  return isSame ? record : { ...record, overuse: overuseOf(record, since, now) };
}

export const formatUsd = (usd: number | null): string => (usd === null ? "an unknown price" : `${usd.toFixed(2)} USD`);
