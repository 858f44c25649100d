import { formatGrams } from "../../../model/places/intensity.ts";
import type { EndedBy, RunEnd, RunRecord } from "../../../model/runs/run-record.ts";
import { pausedSeconds } from "../../../model/runs/run-times.ts";
import { formatTime, inWords } from "../../../model/time.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import { hadNoMachine, isMissing, type RunStep } from "../state/next-run-step.ts";
import { condition, notPausedText, pausedText, runningCondition } from "../state/running-condition.ts";
import { formatUsd, isMachineOn, isOnNow, overuseOf, runAccount } from "../state/run-account.ts";

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

const wordsOf = ({ kind }: RunRecord, by: EndedBy): string =>
  by === "provider" && kind === "KaasCluster" ? "its cluster is no longer there at the provider" : WORDS[by];

/** The use of a run that is over. */
export function accountText(record: RunRecord, end: RunEnd): string {
  const { hours, usd, grams } = runAccount(record, end.at);
  const emitted = grams === null ? "" : `, ${formatGrams(grams)} as decided`;
  return `${hours.toFixed(2)} h, ${formatUsd(usd)}${emitted}`;
}

/** Of a run that is not over: the end of the one before it is not this one's. */
const NO_END: readonly ConditionInput[] = ["Completed", "Failed"].map((type) => condition(type, false, "Running", ""));

/** The reason of an end, and its words before the time: time ends also a run that could not do its work. */
function whyEnded(record: RunRecord, { at, by, outcome }: RunEnd): [reason: string, words: string] {
  const { lostSeconds = 0 } = record;
  const isByTime = outcome === "failed" && (by === "time" || by === "limit");
  if (record.refused === true || (isByTime && hadNoMachine(record.plan, record, at)))
    return ["NoMachine", "it had no machine until"];
  if (lostSeconds > 0 && by === "time")
    return [
      "WorkLost",
      `its machine was missing, came late, or has an earlier end by now, so that ${inWords(lostSeconds)} of its work were not done by`,
    ];
  return [REASON[by], `${wordsOf(record, by)} since`];
}

function endConditions(record: RunRecord, end: RunEnd): ConditionInput[] {
  const [reason, words] = whyEnded(record, end);
  const message = `${words} ${formatTime(end.at)}: ${accountText(record, end)}`;
  const failed = end.outcome === "failed";
  return [
    condition("Running", false, reason, message),
    condition("Completed", !failed, failed ? "Failed" : reason, message),
    condition("Failed", failed, failed ? reason : "NotFailed", failed ? message : ""),
  ];
}

interface Stepped {
  step: RunStep;
  now: number;
}

/** The advice about a machine that its provider did not stop. */
const STOP_IT = "stop it at its provider, or delete the object";

/** The cost since the end, and by the hour: when the Event reports it first, next to nothing has been paid yet. A machine that is off costs nothing. */
function costText(record: RunRecord, since: number, now: number): string {
  const { pricePerHour } = record;
  const { hours, usd } = overuseOf(record, since, now);
  const paid = `${formatUsd(usd)} since then`;
  if (!isOnNow(record)) return `${hours === 0 ? "" : `${paid}; `}its machine is off, and its disks are paid for`;
  const rate = pricePerHour === null ? "" : `, ${pricePerHour.toFixed(4)} USD for each hour`;
  return `${paid}${rate}`;
}

/** Of a machine that its provider did not stop at the end. */
function notStopped(record: RunRecord, end: RunEnd, { step: { stillOn = "" }, now }: Stepped): ConditionInput {
  const over = `over since ${formatTime(end.at)}, and its machine is still ${stillOn} at its provider`;
  return condition("Overdue", true, "StopFailed", `${over}: ${costText(record, end.at, now)}; ${STOP_IT}`);
}

function overdueCondition(record: RunRecord, { step, now }: Stepped): ConditionInput {
  const { overdueSince, deletesAt } = step;
  const end = record.end ?? step.found;
  if (step.stillOn !== undefined && end !== null) return notStopped(record, end, { step, now });
  if (overdueSince === null) return condition("Overdue", false, "InTime", "");
  const cost = costText(record, overdueSince, now);
  const over = `over since ${formatTime(overdueSince)} and still there: ${cost}`;
  if (deletesAt !== null)
    return condition("Overdue", true, "EndsAtLimit", `${over}; its resources are deleted at ${formatTime(deletesAt)}`);
  return condition("Overdue", true, "NothingEndsIt", `${over}; delete the object, or set whenDone`);
}

/** Ready of a machine that works on after its run: the reason, a column of `kubectl get`, says that it is paid for. */
function whileOverdue(ready: ConditionInput, { overdueSince }: RunStep): ConditionInput {
  if (overdueSince === null || ready.status !== "True") return ready;
  return condition("Ready", true, "Overdue", `${ready.message}; its run is over since ${formatTime(overdueSince)}`);
}

/** The conditions of a run while its user pauses the object: a machine that a planned pause stopped before stays off after it. */
export function whileHeld({ record, step, now }: { record: RunRecord; step: RunStep; now: number }): ConditionInput[] {
  const conditions = runConditions(record, step, now);
  const isOff = step.do === "run" && !isMachineOn(record) && pausedSeconds(record.plan, record.startedAt, now) > 0;
  const message = "its machine is off since its planned pause: nothing starts it while krateo.io/paused is set";
  const off = condition("Running", false, "Paused", message);
  return isOff ? conditions.map((one) => (one.type === "Running" ? off : one)) : conditions;
}

/** Ready of a machine that should be off and is on. */
function whileNotStopped(word: string, { pausedUntil }: RunStep): ConditionInput {
  if (pausedUntil !== undefined) return condition("Ready", false, "PauseFailed", notPausedText(pausedUntil, word));
  const message = `its run is over, and its machine is still ${word} at its provider: ${STOP_IT}`;
  return condition("Ready", false, "StopFailed", message);
}

/** Until when its resources are still there to be looked at. */
const leftUntil = ({ deletesAt }: RunStep): string =>
  deletesAt === null ? "" : `, and its resources are deleted at ${formatTime(deletesAt)}`;

/**
 * The condition Ready of a run: its machine is not ready for use while it is stopped, in a pause or after the end. Only what its provider refuses
 * is reported instead.
 */
export function whileStopped(ready: ConditionInput, run: { record: RunRecord; step: RunStep } | null): ConditionInput {
  if (run === null || ready.reason.startsWith("Provider")) return ready;
  const { record, step } = run;
  if (step.stillOn !== undefined) return whileNotStopped(step.stillOn, step);
  if (step.pausedUntil !== undefined)
    return condition("Ready", false, "Paused", pausedText(step.pausedUntil, record.plan));
  const end = record.end ?? step.found;
  if (step.do !== "stop" || end === null) return whileOverdue(ready, step);
  const reason = end.outcome === "failed" ? "Failed" : "Completed";
  const machine = isMissing({ ...record, end }) ? "no machine starts for it any more" : "its machine is stopped";
  const message = `it is over, and ${machine}${leftUntil(step)}: ${accountText(record, end)}`;
  return condition("Ready", false, reason, message);
}

/** Reasons of a machine that is stopped as planned. */
const STOPPED: readonly string[] = ["Paused", "Completed", "Failed"];

/** Whether the condition Ready is as it should be for now, so that nothing changes soon. */
export const isSettled = ({ status, reason }: ConditionInput): boolean => status === "True" || STOPPED.includes(reason);

/** The conditions of a run. */
export function runConditions(record: RunRecord, step: RunStep, now: number): ConditionInput[] {
  const end = record.end ?? step.found;
  return [
    ...(end === null ? [runningCondition(record, step, now), ...NO_END] : endConditions(record, end)),
    overdueCondition(record, { step, now }),
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
function withoutRun({ status }: Resource): Record<string, unknown> {
  if (status?.["run"] === undefined) return {};
  const paused = status["pausedUntil"] === undefined ? {} : { pausedUntil: null };
  return { startsAt: null, endsAt: null, deletesAt: null, run: null, ...paused };
}

/** The fields of the status about the run of an object; without one, those that remove what an earlier run left. */
export const fieldsOfRun = (
  object: Resource,
  run: { record: RunRecord; step: RunStep } | null,
): Record<string, unknown> => (run === null ? withoutRun(object) : runStatus(run.record, run.step));

/** The condition Ready of an object whose run is over. */
export function endedReady(record: RunRecord, step: RunStep, left: number): ConditionInput {
  const end = record.end ?? step.found;
  const text = end === null ? "" : accountText(record, end);
  const isOverdue = step.overdueSince !== null && isOnNow({ ...record, end });
  const over = isOverdue ? "Overdue" : end?.outcome === "failed" ? "Failed" : "Completed";
  const reason = left > 0 ? "Deleting" : over;
  const what =
    record.removedAt !== null
      ? "its resources are deleted"
      : left > 0
        ? `${String(left)} resources are being deleted`
        : `it is over${leftUntil(step)}`;
  return condition("Ready", false, reason, `${what}: ${text}`);
}
