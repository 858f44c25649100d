import { isDeepStrictEqual } from "node:util";
import { readPlacement } from "../../model/decision-annotation/compact-decision.ts";
import { isInstalled } from "../../model/decision-annotation/pause.ts";
import { verifyDecision } from "../../model/decision-annotation/signature.ts";
import { specStanding } from "../../model/decision-annotation/signed-spec.ts";
import { runOf } from "../../model/run-of.ts";
import type { RunPlan, RunRecord } from "../../model/run-record.ts";
import { formatTime, parseTime } from "../../model/time.ts";
import { ApiError } from "../../cluster/api-error.ts";
import type { Composition, CompositionContext } from "../context.ts";
import type { Resource } from "../types.ts";
import { firstStart } from "./first-start.ts";
import { nextRunStep, type RunStep } from "./next-run-step.ts";
import { accountText } from "./run-status.ts";
import { isRun, planOf } from "./run-plan.ts";
import { liveResources } from "./live-resources.ts";
import { withPauses } from "./run-pauses.ts";
import { signOf } from "./run-sign.ts";
import { upgradeFirst } from "./upgrade-first.ts";

/** A run in a reconcile. */
export interface FollowedRun {
  record: RunRecord;
  step: RunStep;
  /** Seconds since 1970, by the API server's clock. */
  now: number;
}

/** The plan in the object, if admission accepted its spec; null otherwise: then what is recorded counts. */
function decidedPlan(context: CompositionContext, object: Resource): RunPlan | null {
  const plan = withPauses(planOf(object.spec ?? {}, context.graceSeconds), object);
  if (context.keys === null) return plan;
  const verified = verifyDecision(context.keys(), object);
  return verified !== null && specStanding(verified, object) === "accepted" ? plan : null;
}

/** Whether admission decided the run that the object asks for, and not only accepted another value of `landfall.dev/run`. */
function isDecided({ keys }: CompositionContext, object: Resource): boolean {
  if (keys === null) return true;
  const verified = verifyDecision(keys(), object);
  return verified !== null && (verified.decision.run ?? "") === runOf(object);
}

/** Whether the object asks for another run, and its last one leaves nothing that is still to be deleted. What is gone is decided anew. */
function asksAgain(context: CompositionContext, object: Resource, { run, end, removedAt, plan }: RunRecord): boolean {
  if (runOf(object) === run) return false;
  return removedAt === null ? end !== null && plan.whenDone !== "delete" : isDecided(context, object);
}

/** Begins another run: from nothing if nothing is left, else with what is there. Null if there is nothing. */
async function beginAgain(
  context: CompositionContext,
  object: Resource,
  record: RunRecord,
  now: number,
): Promise<RunRecord | null> {
  context.record(object, { type: "Normal", reason: "AnotherRun", message: `run ${runOf(object)} was asked for` });
  if (record.removedAt !== null) {
    await context.runs.remove(record.uid);
    return null;
  }
  const next = {
    ...record,
    run: runOf(object),
    startedAt: now,
    firstStartedAt: firstStart(record, liveResources(context, record.uid), now),
    end: null,
    wasReady: false,
    machine: null,
    reported: null,
  };
  return context.runs.change(next);
}

function tellEnd(context: CompositionContext, object: Resource, record: RunRecord, { found }: RunStep): void {
  if (found === null) return;
  context.runMetrics.ended(found);
  const failed = found.outcome === "failed";
  const message = `over since ${formatTime(found.at)} (${found.by}): ${accountText(record, found)}`;
  context.record(object, { type: failed ? "Warning" : "Normal", reason: failed ? "Failed" : "Completed", message });
}

/** Decides the next step of a recorded run. An end is recorded before anybody acts on it. */
async function decideStep(
  context: CompositionContext,
  composition: Composition,
  record: RunRecord,
  now: number,
): Promise<FollowedRun> {
  const { object } = composition;
  const plan = decidedPlan(context, object) ?? record.plan;
  const sign = signOf(object, record, liveResources(context, record.uid));
  const step = nextRunStep(plan, record, sign, now);
  // A machine that is stopped for a pause is not one that ended.
  const ready = step.do === "pause" ? { wasReady: false, machine: null } : {};
  const wanted = { ...record, ...ready, plan, end: step.found ?? record.end };
  const next = isDeepStrictEqual(wanted, record) ? record : await context.runs.change(wanted);
  tellEnd(context, object, next, step);
  return { record: next, step: await upgradeFirst(context, composition, step, now), now };
}

/** The API server's time. Throws REL_API_AWAY if it is not known yet, seconds after a start: the reconcile is tried again. */
function timeOf(context: CompositionContext): number {
  const now = context.serverSeconds();
  if (now !== null) return now;
  throw new ApiError(0, {
    action: "read the API server's clock",
    detail: "its answers are ahead of this machine's clock",
  });
}

/** The run of an object that has one, and what is to be done about it; null for an object without a recorded run. */
export async function followRun(context: CompositionContext, composition: Composition): Promise<FollowedRun | null> {
  const { object } = composition;
  const record = await context.runs.read(object.metadata.uid ?? "");
  if (record === null) return null;
  const now = timeOf(context);
  const present = asksAgain(context, object, record) ? await beginAgain(context, object, record, now) : record;
  return present && decideStep(context, composition, present, now);
}

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);

/**
 * Records that the run of a decided object starts, before anything is installed for it; null for a service. What was installed
 * by an earlier version has run since its decided start.
 */
export async function startRun(context: CompositionContext, composition: Composition): Promise<FollowedRun | null> {
  const { object } = composition;
  const plan = withPauses(planOf(object.spec ?? {}, context.graceSeconds), object);
  if (!isRun(plan)) return null;
  const { uid = "", namespace = "", name = "" } = object.metadata;
  const placement = readPlacement(object);
  const { start } = placement;
  const since = isInstalled(object) && typeof start === "string" ? parseTime(start) : null;
  const record = await context.runs.start(
    {
      ...{ uid, kind: object.kind, namespace, name, run: runOf(object), plan, end: null, removedAt: null },
      ...{ wasReady: false, machine: null, reported: null, pricePerHour: numberOf(placement["pricePerHour"]) },
      gramsCO2: numberOf(placement["gramsCO2"]),
    },
    since,
  );
  return decideStep(context, composition, record, timeOf(context));
}
