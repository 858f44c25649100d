import type { RunEnd, RunPlan, RunRecord } from "../../../model/runs/run-record.ts";
import { latestEnd, nextRunStep, plannedDeletion, type RunSign, type RunStep } from "./next-run-step.ts";

/** When the run ended by the recorded plan, at its latest end at the latest: what of its work is lost by now was not known then. Null if it did not. */
function knownEnd(record: RunRecord, now: number): number | null {
  const at = nextRunStep(record.plan, record, null, now).found?.at;
  return at === undefined ? null : Math.min(at, latestEnd(record.plan, record) ?? at);
}

/** The end that a changed plan gives: it ends nothing before it was known, so that the account is whole and the grace is ahead. */
function endByChange(plan: RunPlan, record: RunRecord, sign: RunSign | null, now: number): RunEnd | null {
  const by = nextRunStep(plan, record, sign, now).found;
  if (by === null || by.at >= now) return by;
  const known = knownEnd(record, now) ?? now;
  return by.at >= known ? by : { ...by, at: known };
}

/** The next step of a recorded run, and its record with the time from which its grace counts, if a changed plan moved it. */
export interface ChangedStep {
  step: RunStep;
  record: RunRecord;
}

/** The record without a grace that a changed plan began, if nothing is to be deleted by now: the next such change has a whole one. */
function withoutOldGrace(plan: RunPlan, record: RunRecord, end: RunEnd | null, now: number): RunRecord {
  const { graceFrom: _, ...kept } = record;
  const planned = plannedDeletion(plan, record, end);
  return planned === null || planned > now ? kept : record;
}

/** The next step of a recorded run whose plan may have changed since. Pure. */
export function stepOfChanged(plan: RunPlan, given: RunRecord, sign: RunSign | null, now: number): ChangedStep {
  const found = endByChange(plan, given, sign, now);
  const record = withoutOldGrace(plan, given, given.end ?? found, now);
  const ended = { ...record, end: record.end ?? found };
  const step = { ...nextRunStep(plan, ended, sign, now), found };
  const isDue = step.do === "remove" && record.graceFrom === undefined;
  if (!isDue || nextRunStep(record.plan, record, null, now).do === "remove") return { step, record };
  const graceFrom = now;
  const later = nextRunStep(plan, { ...ended, graceFrom }, sign, now);
  return { step: { ...later, found }, record: { ...record, graceFrom } };
}
