import { isDeepStrictEqual } from "node:util";
import { readPlacement } from "../../../model/decision-annotation/compact-decision.ts";
import { isInstalled } from "../../../model/decision-annotation/pause.ts";
import { verifyDecision } from "../../../model/decision-annotation/signature.ts";
import { specStanding } from "../../../model/decision-annotation/still-holds.ts";
import { type Trusted, trusted } from "../../../model/decision-annotation/trusted.ts";
import { runOf } from "../../../model/runs/run-of.ts";
import type { RunPlan, RunRecord } from "../../../model/runs/run-record.ts";
import { formatTime, parseTime } from "../../../model/time.ts";
import type { Composition, CompositionContext, TrustedComposition } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { firstStart, takenOver } from "./first-start.ts";
import { nextRunStep, type RunStep, withLateResume } from "../state/next-run-step.ts";
import { accountText } from "./run-status.ts";
import { isRun, planOf } from "../state/run-plan.ts";
import { liveResources, signOf, wasEvicted } from "./run-sign.ts";
import { pausesFrom, withPauses } from "./run-pauses.ts";
import { restartEvicted } from "./restart-evicted.ts";
import { beginTime, refuseStart, serverTime } from "./run-clock.ts";
import { paceOf, runTime } from "../state/run-time.ts";
import { upgradeFirst } from "./upgrade-first.ts";

/** A run in a reconcile. */
export interface FollowedRun {
  record: RunRecord;
  step: RunStep;
  /** Seconds since 1970, by the API server's clock. */
  now: number;
  /** Seconds of the run that pass in one second; one if omitted. */
  pace?: number;
}

/** The plan in the object, if admission accepted its spec; null otherwise: then what is recorded counts. */
function decidedPlan(context: CompositionContext, object: Trusted<Resource>): RunPlan | null {
  const plan = withPauses(planOf(object.spec ?? {}, context.graceSeconds), object);
  if (context.keys === null) return plan;
  const verified = verifyDecision(context.keys(), object);
  return verified !== null && specStanding(verified, object) === "accepted" ? plan : null;
}

/** Whether admission decided the run that the object asks for, and not only accepted another value of `landfall.dev/run`. */
function isDecided({ keys }: CompositionContext, object: Resource): boolean {
  if (keys === null) return true;
  const verified = verifyDecision(keys(), object);
  return verified !== null && verified.signature.use !== "offer" && (verified.decision.run ?? "") === runOf(object);
}

/** Whether the object asks for another run, and its last one leaves nothing that is still to be deleted. What is gone is decided again. */
function asksAgain(context: CompositionContext, object: Resource, { run, end, removedAt, plan }: RunRecord): boolean {
  if (runOf(object) === run) return false;
  return removedAt === null ? end !== null && plan.whenDone !== "delete" : isDecided(context, object);
}

const generationOf = ({ metadata: { generation } }: Resource): Pick<RunRecord, "generation"> =>
  generation === undefined ? {} : { generation };

/** Begins another run: from nothing if nothing is left, otherwise with what exists. Null if nothing does. */
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
  // The use of the last run, and its evictions, are not this one's.
  const { fallbacks: _fallbacks, before: _before, refused: _refused, evictions: _evictions, ...kept } = record;
  const next = {
    ...kept,
    run: runOf(object),
    startedAt: now,
    firstStartedAt: firstStart(record, liveResources(context, record.uid), now),
    end: null,
    wasReady: false,
    machine: null,
    reported: null,
    ...generationOf(object),
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

/** The plan from now on: pauses of a decision that comes too late for what has happened do not count. */
function planFrom({ plan: recorded, startedAt, end }: RunRecord, decided: RunPlan | null, now: number): RunPlan {
  if (decided === null) return recorded;
  if (recorded.pauses === undefined || end !== null) return decided;
  return { ...decided, pauses: pausesFrom(recorded, decided, startedAt, now), resume: recorded.resume ?? 0 };
}

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** The CO2e of the whole run, as it is decided by now. */
const gramsOf = (object: Trusted<Resource>): Pick<RunRecord, "gramsCO2"> => ({
  gramsCO2: numberOf(readPlacement(object)["gramsCO2"]),
});

/** Decides the next step of a recorded run. An end is recorded before anybody acts on it. */
async function decideStep(
  context: CompositionContext,
  composition: TrustedComposition,
  record: RunRecord,
  now: number,
): Promise<FollowedRun> {
  const { object } = composition;
  const plan = withLateResume(planFrom(record, decidedPlan(context, object), now), record, now);
  const live = liveResources(context, record.uid);
  if (record.end === null && wasEvicted(object, record, live)) {
    const evicted = await restartEvicted(context, object, { ...record, plan }, now);
    if (evicted !== null) return decideStep(context, composition, evicted, now);
  }
  const step = nextRunStep(plan, record, signOf(object, record, live), now);
  // A machine that is stopped for a pause is not one that ended.
  const ready = step.do === "pause" ? { wasReady: false, machine: null } : {};
  const changed = isDeepStrictEqual(plan.pauses, record.plan.pauses) ? {} : gramsOf(object);
  const wanted = { ...record, ...ready, ...changed, plan, end: step.found ?? record.end };
  const next = isDeepStrictEqual(wanted, record) ? record : await context.runs.change(wanted);
  tellEnd(context, object, next, step);
  const pace = paceOf(wanted, context.timeLapse);
  return { record: next, step: await upgradeFirst(context, composition, step, now), now, pace };
}

/** Takes back the record of a run that began by a wrong clock, before anything was installed for it. Throws RUN_CLOCKS. */
async function assertBegun(context: CompositionContext, record: RunRecord): Promise<void> {
  if (record.beganAskew !== true) return;
  await context.runs.remove(record.uid);
  refuseStart(context, record.startedAt);
}

/** The run of an object that has one, and what is to be done about it; null for an object without a recorded run. */
export async function followRun(context: CompositionContext, given: Composition): Promise<FollowedRun | null> {
  const object = trusted(context.keys, given.object);
  const composition = { ...given, object };
  const record = await context.runs.read(object.metadata.uid ?? "");
  if (record === null) return null;
  await assertBegun(context, record);
  const isNext = asksAgain(context, object, record);
  const now = isNext ? beginTime(context) : serverTime(context);
  const present = isNext ? await beginAgain(context, object, record, now) : record;
  return present && decideStep(context, composition, present, runTime(present, now, context.timeLapse));
}

/** Since when the machine runs that this object takes over from an object that is gone; empty for a machine of its own. */
async function sinceBefore(
  context: CompositionContext,
  object: Resource,
): Promise<Partial<Pick<RunRecord, "firstStartedAt">>> {
  const earlier = await takenOver(context, object);
  const starts = earlier.map((run) => run.firstStartedAt ?? run.startedAt);
  return starts.length === 0 ? {} : { firstStartedAt: Math.min(...starts) };
}

/**
 * Records that the run of a decided object starts, before anything is installed for it; null for a service. What was installed
 * by an earlier version has run since its decided start. Throws RUN_CLOCKS while it is not known what time it is.
 */
export async function startRun(
  context: CompositionContext,
  composition: TrustedComposition,
): Promise<FollowedRun | null> {
  const { object } = composition;
  const plan = withPauses(planOf(object.spec ?? {}, context.graceSeconds), object);
  if (!isRun(plan)) return null;
  const { uid = "", namespace = "", name = "" } = object.metadata;
  const placement = readPlacement(object);
  const { start } = placement;
  const since = isInstalled(object) && typeof start === "string" ? parseTime(start) : null;
  const now = beginTime(context);
  const record = await context.runs.start(
    {
      ...{ uid, kind: object.kind, namespace, name, run: runOf(object), plan, end: null, removedAt: null },
      ...{ wasReady: false, machine: null, reported: null, pricePerHour: numberOf(placement["pricePerHour"]) },
      ...{ ...gramsOf(object), ...generationOf(object) },
      ...(since === null ? { seenAt: now } : { bootSeconds: null }),
      ...(await sinceBefore(context, object)),
    },
    since,
  );
  await assertBegun(context, record);
  return decideStep(context, composition, record, serverTime(context));
}
