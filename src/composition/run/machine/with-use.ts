import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { Resource } from "../../types.ts";
import { saidOffSince, saidSince } from "./begin-of.ts";
import { isMachine, machineOver } from "./run-sign.ts";
import { powerNow } from "./machine-now.ts";
import type { RunStep } from "../state/next-run-step.ts";
import { metered, withOveruse } from "../state/run-account.ts";
import { workedUntil } from "../state/worked-until.ts";

interface Look {
  live: readonly Resource[];
  now: number;
}

/** Whether a record does not say yet that its machine is on or off: it says nothing of a machine that is refused, and none is counted after the end. */
export const isNews = ({ meter, refused, end }: RunRecord, on: boolean): boolean =>
  meter !== undefined && meter.on !== on && refused !== true && end === null;

/** Since when a machine that is seen on or off is so. One that came is on since its provider or its operator says it. */
const turnedAt = ({ meter }: RunRecord, on: boolean, { live, now }: Look): number =>
  (on ? saidSince(live, meter?.at ?? 0, now) : null) ?? now;

/** The record of a run whose machine is seen on or off, with the pause in which it was stopped late. The same record if that says nothing new. Pure. */
export function withPower(record: RunRecord, on: boolean, look: Look): RunRecord {
  if (!isNews(record, on)) return record;
  const at = turnedAt(record, on, look);
  const turned = { ...metered(record, at, { on }), plan: on ? record.plan : workedUntil(record.plan, record, at) };
  return record.overuse === undefined ? turned : withOveruse(turned, record.overuse.at, at);
}

/** The record with the use of its machine since it is overdue, or since an end that is to stop it. Pure. */
export function withOverdue(record: RunRecord, step: RunStep, now: number): RunRecord {
  const stopped = step.do === "stop" ? (record.end?.at ?? null) : null;
  return withOveruse(record, step.overdueSince ?? stopped, now);
}

/** The record of a run whose machine was off before its end, as its provider says: nothing is counted from then to the end. */
function withoutOff(record: RunRecord, end: RunRecord["end"], live: readonly Resource[]): RunRecord {
  const { meter } = record;
  if (record.end !== null || end === null || meter?.on !== true) return record;
  const since = saidOffSince(live, meter.at, end.at);
  // The machine counts as on at the end, so that the end asks of it what it did.
  return since === null || since >= end.at
    ? record
    : metered(metered(record, since, { on: false }), end.at, { on: true });
}

/** The record of a run that is over, with whether its machine is off: it is not paid for then. It stays as it is as long as the machine is not known. */
function withOff({ off, ...record }: RunRecord, end: RunRecord["end"], live: readonly Resource[]): RunRecord {
  const isDeleted = record.plan.recreates === true && live.length > 0;
  const isOff = live.some(isMachine) ? live.some((one) => machineOver(one) !== null) : off === true || isDeleted;
  return end !== null && isOff ? { ...record, off: true } : record;
}

/** The record of a run with its end, if it has one by now, with what is known of its machine then. Pure. */
export const withEnd = (record: RunRecord, end: RunRecord["end"], live: readonly Resource[]): RunRecord => ({
  ...withOff(withoutOff(record, end, live), end, live),
  end,
});

/** Whether a machine is on, as its provider says; null if it does not say it. */
export function saidOn(live: readonly Resource[]): boolean | null {
  const seen = powerNow(live);
  return seen === "on" || seen === "off" ? seen === "on" : null;
}

/** The record of a run whose provider says that its machine is on or off: also where nothing can be installed or upgraded for it. Pure. */
export function withUse(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const on = saidOn(live);
  return on === null ? record : withPower(record, on, { live, now });
}
