import type { RunPlan, RunRecord } from "../../../model/runs/run-record.ts";
import { pausesSince } from "../../../model/runs/run-times.ts";
import { formatTime } from "../../../model/time.ts";
import type { ConditionInput } from "../../types.ts";
import type { RunStep } from "./next-run-step.ts";

export const condition = (type: string, status: boolean, reason: string, message: string): ConditionInput => ({
  ...{ type, status: status ? "True" : "False", reason, message },
});

export const pausedText = (until: number, { recreates }: RunPlan): string =>
  `its machine is ${recreates === true ? "deleted" : "stopped"} until ${formatTime(until)}, when the run continues`;

export const notPausedText = (until: number, word: string): string =>
  `its machine should be off until ${formatTime(until)}, and is still ${word} at its provider: it is paid for; stop it there`;

const evictedText = ({ count }: NonNullable<RunRecord["evictions"]>): string =>
  `its spot machine was evicted (${String(count)} in all); it starts again when the provider has another one`;

/** Seconds after which a machine that is to start comes late, for runs of earlier versions. */
const LATE_SECONDS = 600;

/** Since when the machine of a run is to be on: since its start, the end of its last pause, or a request to start it. */
function wantedSince({ plan, startedAt, asked }: RunRecord, now: number): number {
  const ends = pausesSince(plan, startedAt).flatMap(({ to }) => (to <= now ? [to] : []));
  return Math.max(startedAt, asked?.on === true ? asked.at : 0, ...ends);
}

const STARTING = "its machine is off, and is started if the operator of its provider does that";
const STOPPED =
  "its machine is not on: if Ready does not say why, it was stopped, so start it at its provider, or create the object again";

/** Of a run that had no machine until now, and of a machine that is off. */
function withoutText({ refused, firstStartedAt, kind }: RunRecord): string {
  if (refused !== true) return STOPPED;
  if (firstStartedAt !== undefined) return `${STOPPED}; its duration counts from when it is on`;
  const what = kind === "KaasCluster" ? "cluster" : "machine";
  return `its ${what} is not there yet: Ready says what it waits for; its duration counts from when it is there`;
}

function offCondition(record: RunRecord, now: number): ConditionInput {
  const isLate = record.refused === true || now - wantedSince(record, now) >= (record.lateAfter ?? LATE_SECONDS);
  return isLate
    ? condition("Running", false, "NoMachine", withoutText(record))
    : condition("Running", false, "Starting", STARTING);
}

/** The condition Running of a run that is not over. */
export function runningCondition(record: RunRecord, { pausedUntil, stillOn }: RunStep, now: number): ConditionInput {
  const { plan, startedAt, evictions, refused, meter } = record;
  if (pausedUntil !== undefined && stillOn !== undefined)
    return condition("Running", true, "PauseFailed", notPausedText(pausedUntil, stillOn));
  if (pausedUntil !== undefined) return condition("Running", false, "Paused", pausedText(pausedUntil, plan));
  if (evictions?.waiting === true) return condition("Running", false, "Evicted", evictedText(evictions));
  if (refused === true || meter?.on === false) return offCondition(record, now);
  return condition("Running", true, "Started", `since ${formatTime(startedAt)}`);
}
