import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { Resource } from "../../types.ts";
import { saidSince } from "../machine/begin-of.ts";
import { powerNow } from "../machine/machine-now.ts";
import { metered, withOveruse } from "../state/run-account.ts";
import type { RunStep } from "../state/next-run-step.ts";
import { workedUntil } from "../state/worked-until.ts";

/** Whether a record does not say yet that its machine is on or off: it says nothing of a machine that is refused, and none is counted after the end. */
export const isNews = ({ meter, refused, end }: RunRecord, on: boolean): boolean =>
  meter !== undefined && meter.on !== on && refused !== true && end === null;

/** The record of a run whose machine is on or off from now on, with the pause in which it was stopped late. */
export function withPower(record: RunRecord, on: boolean, now: number): RunRecord {
  const turned = { ...metered(record, now, { on }), plan: on ? record.plan : workedUntil(record.plan, record, now) };
  return record.overuse === undefined ? turned : withOveruse(turned, record.overuse.at, now);
}

/** The record with the use of its machine since it is overdue, or since an end that is to stop it. Pure. */
export function withOverdue(record: RunRecord, step: RunStep, now: number): RunRecord {
  const stopped = step.do === "stop" ? (record.end?.at ?? null) : null;
  return withOveruse(record, step.overdueSince ?? stopped, now);
}

/** Since when a machine that is seen on or off is so. One that came is on since its provider or its operator says it. */
export const turnedAt = (
  { meter }: RunRecord,
  on: boolean,
  { live, now }: { live: readonly Resource[]; now: number },
): number => (on ? saidSince(live, meter?.at ?? 0, now) : null) ?? now;

/** The record of a run whose provider says that its machine is on or off: also where nothing can be installed or upgraded for it. Pure. */
export function withUse(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const seen = powerNow(live);
  const on = seen === "on";
  const isKnown = on || seen === "off";
  return isKnown && isNews(record, on) ? withPower(record, on, turnedAt(record, on, { live, now })) : record;
}
