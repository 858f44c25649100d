import { formatGrams } from "../../../model/places/intensity.ts";
import type { EndedBy, RunEnd, RunPlan, RunRecord } from "../../../model/runs/run-record.ts";
import { formatTime } from "../../../model/time.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import type { RunStep } from "../state/next-run-step.ts";
import { costSince, formatUsd, runAccount } from "../state/run-account.ts";

/** Reasons of the conditions Completed and Failed. */
const REASON: Readonly<Record<EndedBy, string>> = {
  time: "DurationOver",
  limit: "MaxLifetimeReached",
  provider: "MachineEnded",
  annotation: "Reported",
  machine: "ReportedByMachine",
  eviction: "Evicted",
};

const WORDS: Readonly<Record<EndedBy, string>> = {
  time: "its duration is over",
  limit: "its maxLifetime is reached",
  provider: "its machine no longer runs at the provider",
  annotation: "its completion was reported by the annotation landfall.dev/completed",
  machine: "its machine reported its completion",
  eviction: "its spot machine was evicted too often, or no other one was there early enough for its duration",
};

const condition = (type: string, status: boolean, reason: string, message: string): ConditionInput => ({
  ...{ type, status: status ? "True" : "False", reason, message },
});

/** The use of a run that is over. */
export function accountText(record: RunRecord, end: RunEnd): string {
  const { hours, usd, grams } = runAccount(record, end.at);
  const emitted = grams === null ? "" : `, ${formatGrams(grams)} as decided`;
  return `${hours.toFixed(2)} h, ${formatUsd(usd)}${emitted}`;
}

function endConditions(record: RunRecord, end: RunEnd): ConditionInput[] {
  const isRefused = record.refused === true;
  const words = isRefused ? "its provider had no machine for it until" : `${WORDS[end.by]} since`;
  const message = `${words} ${formatTime(end.at)}: ${accountText(record, end)}`;
  const failed = end.outcome === "failed";
  const reason = isRefused ? "NoMachine" : REASON[end.by];
  return [
    condition("Running", false, reason, message),
    condition("Completed", !failed, failed ? "Failed" : reason, message),
    condition("Failed", failed, failed ? reason : "NotFailed", failed ? message : ""),
  ];
}

function overdueCondition(record: RunRecord, { overdueSince }: RunStep, now: number): ConditionInput {
  if (overdueSince === null) return condition("Overdue", false, "InTime", "");
  const cost = formatUsd(costSince(record, overdueSince, now));
  const message = `over since ${formatTime(overdueSince)} and still there: ${cost} since then; delete the object, or set whenDone`;
  return condition("Overdue", true, "NothingEndsIt", message);
}

const pausedText = (until: number, { recreates }: RunPlan): string =>
  `its machine is ${recreates === true ? "deleted" : "stopped"} until ${formatTime(until)}, when the run continues`;

const evictedText = ({ count }: NonNullable<RunRecord["evictions"]>): string =>
  `its spot machine was evicted (${String(count)} in all); it starts again when the provider has another one`;

function runningCondition({ plan, startedAt, evictions }: RunRecord, { pausedUntil }: RunStep): ConditionInput {
  if (pausedUntil !== undefined) return condition("Running", false, "Paused", pausedText(pausedUntil, plan));
  if (evictions?.waiting === true) return condition("Running", false, "Evicted", evictedText(evictions));
  return condition("Running", true, "Started", `since ${formatTime(startedAt)}`);
}

/**
 * The condition Ready of a run: its machine is not ready for use while it is stopped, in a pause or after the end. Only what its provider refuses
 * is reported instead.
 */
export function whileStopped(ready: ConditionInput, run: { record: RunRecord; step: RunStep } | null): ConditionInput {
  if (run === null || ready.reason.startsWith("Provider")) return ready;
  const { record, step } = run;
  if (step.pausedUntil !== undefined)
    return condition("Ready", false, "Paused", pausedText(step.pausedUntil, record.plan));
  const end = record.end ?? step.found;
  if (step.do !== "stop" || end === null) return ready;
  const reason = end.outcome === "failed" ? "Failed" : "Completed";
  return condition("Ready", false, reason, `it is over, and its machine is stopped: ${accountText(record, end)}`);
}

/** Reasons of a machine that is stopped as planned. */
const STOPPED: readonly string[] = ["Paused", "Completed", "Failed"];

/** Whether the condition Ready is as it should be for now, so that nothing changes soon. */
export const isSettled = ({ status, reason }: ConditionInput): boolean => status === "True" || STOPPED.includes(reason);

/** The conditions of a run. */
export function runConditions(record: RunRecord, step: RunStep, now: number): ConditionInput[] {
  const end = record.end ?? step.found;
  return [
    ...(end === null ? [runningCondition(record, step)] : endConditions(record, end)),
    overdueCondition(record, step, now),
  ];
}

const timeOrNull = (seconds: number | null): string | null => (seconds === null ? null : formatTime(seconds));

const NOT_OVER = { ended: null, by: null, outcome: null, hours: null, usd: null, gramsCO2: null };

function accountStatus(record: RunRecord, { at, by, outcome }: RunEnd): Record<keyof typeof NOT_OVER, string | null> {
  const { hours, usd, grams } = runAccount(record, at);
  return {
    ...{ ended: formatTime(at), by, outcome, hours: hours.toFixed(2), usd: usd === null ? null : usd.toFixed(2) },
    gramsCO2: grams === null ? null : String(Math.round(grams * 100) / 100),
  };
}

const evictionsOf = ({ evictions }: RunRecord): { evictions?: number } =>
  evictions === undefined ? {} : { evictions: evictions.count };

/** The fields of the status about a run; null removes one. */
export function runStatus(record: RunRecord, step: RunStep): Record<string, unknown> {
  const end = record.end ?? step.found;
  const account = end === null ? NOT_OVER : accountStatus(record, end);
  return {
    ...{
      startsAt: formatTime(record.startedAt),
      endsAt: timeOrNull(step.endsAt),
      deletesAt: timeOrNull(step.deletesAt),
    },
    ...(record.plan.pauses === undefined ? {} : { pausedUntil: timeOrNull(step.pausedUntil ?? null) }),
    run: {
      id: record.run,
      started: formatTime(record.startedAt),
      ...evictionsOf(record),
      ...record.fallbacks,
      ...account,
    },
  };
}

/** Removes what an earlier run left in the status; empty if there is nothing. */
export function withoutRun({ status }: Resource): Record<string, unknown> {
  if (status?.["run"] === undefined) return {};
  const paused = status["pausedUntil"] === undefined ? {} : { pausedUntil: null };
  return { startsAt: null, endsAt: null, deletesAt: null, run: null, ...paused };
}

/** The condition Ready of an object whose run is over. */
export function endedReady(record: RunRecord, step: RunStep, left: number): ConditionInput {
  const end = record.end ?? step.found;
  const text = end === null ? "" : accountText(record, end);
  const failed = end?.outcome === "failed";
  const reason = left > 0 ? "Deleting" : failed ? "Failed" : "Completed";
  const what =
    record.removedAt !== null
      ? "its resources are deleted"
      : left > 0
        ? `${String(left)} resources are being deleted`
        : "it is over";
  return condition("Ready", false, reason, `${what}: ${text}`);
}
