import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isInstalled, isPaused } from "../../../model/decision-annotation/pause.ts";
import { verifyDecision } from "../../../model/decision-annotation/signature.ts";
import { specStanding } from "../../../model/decision-annotation/still-holds.ts";
import { type Trusted, trusted } from "../../../model/decision-annotation/trusted.ts";
import { runOf } from "../../../model/runs/run-of.ts";
import { NEW_METER, type RunPlan, type RunRecord } from "../../../model/runs/run-record.ts";
import { formatTime } from "../../../model/time.ts";
import type { Composition, CompositionContext, TrustedComposition } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { asksAgain, beginAgain, generationOf, lateAfterOf } from "./begin-again.ts";
import { takenOver } from "./first-start.ts";
import { installedSince } from "./installed-since.ts";
import { observed } from "../machine/observed.ts";
import { mayBeStopped, withAsked } from "../state/asked-power.ts";
import { withLateResume, withLost } from "../state/late-resume.ts";
import type { RunSign, RunStep } from "../state/next-run-step.ts";
import { stepOfChanged } from "../state/step-of-changed.ts";
import { accountText } from "./run-status.ts";
import { isRun, planOf } from "../state/run-plan.ts";
import { knownNow } from "../machine/machines-of.ts";
import { signOf, wasEvicted } from "../machine/run-sign.ts";
import { isMachineOn } from "../state/run-account.ts";
import { figuresOf, withFigures } from "../state/run-figures.ts";
import { withoutMissed } from "../state/worked-until.ts";
import { pausesFrom, withoutHeld, withPauses } from "./run-pauses.ts";
import { restoredRun } from "./restored-run.ts";
import { restartEvicted } from "./restart-evicted.ts";
import { withEnd, withOverdue, withUse } from "../machine/with-use.ts";
import { assertBegun, beginTime, mayBegin, refuseStart, serverTime } from "./run-clock.ts";
import { paceOf, runTime, withUnlapsed } from "../state/run-time.ts";
import { seenMeanwhile } from "./seen-meanwhile.ts";
import { withoutEndless } from "./became-service.ts";
import { goneSign } from "../machine/gone-cluster.ts";
import { withoutMachine, withStoppedFirst } from "../machine/without-machine.ts";
import { upgradeFirst } from "./upgrade-first.ts";
import { withdraw } from "../machine/withdraw.ts";

/** A run in a reconcile. */
export interface FollowedRun {
  record: RunRecord;
  step: RunStep;
  /** Seconds since 1970, by the API server's clock. */
  now: number;
  /** The resources of the run as they were when it was followed; omitted where nothing is known of them. */
  live?: readonly Resource[];
  /** Seconds of the run that pass in one second; one if omitted. */
  pace?: number;
  /** The machine was missing at its end, and its resource is removed, so that none is created. */
  omitsMachine?: true;
}

/** The plan in the object, if admission accepted its spec; null otherwise: then what is recorded counts. */
function decidedPlan(context: CompositionContext, object: Trusted<Resource>): RunPlan | null {
  const plan = withPauses(planOf(object.spec ?? {}, context.graceSeconds), object);
  if (context.keys === null) return plan;
  const verified = verifyDecision(context.keys(), object);
  return verified !== null && specStanding(verified, object) === "accepted" ? plan : null;
}

function tellEnd(context: CompositionContext, object: Resource, record: RunRecord, { found }: RunStep): void {
  if (found === null) return;
  context.runMetrics.ended(found);
  const failed = found.outcome === "failed";
  const message = `over since ${formatTime(found.at)} (${found.by}): ${accountText(record, found)}`;
  context.record(object, { type: failed ? "Warning" : "Normal", reason: failed ? "Failed" : "Completed", message });
}

/** The plan from now on: pauses of a decision that comes too late for what has happened do not count, and none after the end. */
function planFrom({ plan: recorded, startedAt, end }: RunRecord, decided: RunPlan | null, now: number): RunPlan {
  if (decided === null) return recorded;
  if (recorded.pauses === undefined) return decided;
  const pauses = end === null ? pausesFrom(recorded, decided, startedAt, now) : recorded.pauses;
  return { ...decided, pauses, resume: recorded.resume ?? decided.resume ?? 0 };
}

/** Says once that a run cannot do all of its work any more. */
function tellLost(
  context: CompositionContext,
  object: Resource,
  before: RunRecord,
  { lostSeconds = 0 }: RunRecord,
): void {
  if (lostSeconds <= 0 || (before.lostSeconds ?? 0) > 0) return;
  const message =
    "not all of its work can be done before its latest end: its machine was missing for too long, came too late, or that end is earlier by now";
  context.record(object, { type: "Warning", reason: "WorkLost", message });
}

/** The plan of a run as it is decided, and as its machine and its user (`isHeld`) have carried it out. */
function planNow(
  record: RunRecord,
  decided: RunPlan | null,
  { isHeld, now }: { isHeld: boolean; now: number },
): RunPlan {
  const planned = withoutMissed(planFrom(record, decided, now), record, now);
  const isWorking = isHeld && isMachineOn(record) && record.asked?.on !== false;
  return withLateResume(isWorking ? withoutHeld(planned, now) : planned, record, now);
}

/** The sign of others that a run is over; null for a service. */
const signNow = (object: Resource, run: RunRecord, live: readonly Resource[], now: number): RunSign | null =>
  isRun(run.plan) ? (signOf(object, run, live) ?? goneSign(run, live, now)) : null;

/** A recorded run, and the plan that its object has by now: see `decidedPlan`. */
interface Planned {
  recorded: RunRecord;
  decided: RunPlan | null;
}

/** Decides the next step of a recorded run. An end is recorded before anybody acts on it. */
async function decideStep(
  context: CompositionContext,
  composition: TrustedComposition,
  { recorded, decided }: Planned,
  now: number,
): Promise<FollowedRun> {
  const { object } = composition;
  const isHeld = isPaused(object);
  const isWatched = context.releases.has(recorded.uid);
  const live = await knownNow(context, recorded);
  const first = await withoutMachine(context, withStoppedFirst(recorded, live, now), { live, now });
  const known = await seenMeanwhile(context, object, first, now);
  const figured = decided === null ? known : withFigures(known, object, now);
  const record = observed(figured, live, { isHeld, isWatched, now });
  const plan = planNow(record, decided, { isHeld, now });
  const judged = mayBeStopped(record, now) ? { ...record, wasReady: false } : record;
  if (record.end === null && wasEvicted(object, judged, live)) {
    const evicted = await restartEvicted(context, object, { ...record, plan }, { live, now });
    if (evicted !== null) return decideStep(context, composition, { recorded: evicted, decided }, now);
  }
  const late = withLost(record, plan, context.timeLapse);
  const sign = signNow(object, { ...judged, plan }, live, now);
  const { step, record: graced } = stepOfChanged(plan, late, sign, now);
  // A machine that is stopped for a pause is not one that ended.
  const ready = step.do === "pause" ? { wasReady: false, machine: null } : {};
  const end = step.found ?? record.end;
  const used = withUse({ ...withEnd(graced, end, live), plan }, live, now);
  const followed = { ...withOverdue(withAsked(used, step, { isHeld, now }), step, now), ...ready };
  const wanted = withUnlapsed(followed, recorded, now, context.timeLapse);
  const next = isDeepStrictEqual(wanted, recorded) ? recorded : await context.runs.change(wanted);
  tellLost(context, object, recorded, wanted);
  tellEnd(context, object, next, step);
  const pace = paceOf(wanted, context.timeLapse);
  const last = await upgradeFirst(context, composition, step, now);
  return { record: next, ...(await withdraw(context, { object, record: next, live }, last)), live, now, pace };
}

/** Begins the run of what was installed as a service and is paused by its user, once admission accepted an end for it: nothing else would begin it until the pause is over. */
const startHeld = async (context: CompositionContext, composition: TrustedComposition): Promise<FollowedRun | null> =>
  isPaused(composition.object) && isInstalled(composition.object) && decidedPlan(context, composition.object) !== null
    ? startRun(context, composition)
    : null;

/**
 * Follows a run that is over, and after which no other one begins now, by its recorded plan: that in the object is the next one's. No clock holds up its
 * deletion. Throws RUN_CLOCKS where nothing is to be deleted.
 */
async function removeLast(
  context: CompositionContext,
  composition: TrustedComposition,
  recorded: RunRecord,
  now: number,
): Promise<FollowedRun> {
  const time = runTime(recorded, now, context.timeLapse);
  const last = await decideStep(context, composition, { recorded, decided: null }, time);
  return last.step.do === "remove" || last.step.do === "upgrade" ? last : refuseStart(context, now);
}

/** The run of an object that has one, and what is to be done about it; null for an object without a recorded run. */
export async function followRun(context: CompositionContext, given: Composition): Promise<FollowedRun | null> {
  const object = trusted(context.keys, given.object);
  const composition = { ...given, object };
  const record = (await context.runs.read(object.metadata.uid ?? "")) ?? (await restoredRun(context, object));
  if (record === null) return startHeld(context, composition);
  await assertBegun(context, record);
  const now = serverTime(context);
  const isNext = await asksAgain(context, object, record);
  if (isNext && !mayBegin(context)) return removeLast(context, composition, record, now);
  const present = isNext ? await beginAgain(context, object, record, now) : record;
  const decided = decidedPlan(context, object);
  const kept = present && (await withoutEndless(context, object, present, { decided, now }));
  return kept && decideStep(context, composition, { recorded: kept, decided }, runTime(kept, now, context.timeLapse));
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
 * Records that the run of a decided object starts, before anything is installed for it; null for a service. What was installed before has run
 * since then, but not since before its decided start; it had no end until now, so that its plan changes it as that of a recorded run. Throws RUN_CLOCKS while it is
 * not known what time it is.
 */
export async function startRun(
  context: CompositionContext,
  composition: TrustedComposition,
): Promise<FollowedRun | null> {
  const { object } = composition;
  const plan = withPauses(planOf(object.spec ?? {}, context.graceSeconds), object);
  if (!isRun(plan)) return null;
  const { uid = "", namespace = "", name = "" } = object.metadata;
  const now = beginTime(context);
  const since = await installedSince(context, object, now);
  const record = await context.runs.start(
    {
      ...{ uid, kind: object.kind, namespace, name, run: runOf(object), end: null, removedAt: null },
      plan: since === null ? plan : planOf({}, context.graceSeconds),
      ...{ wasReady: false, machine: null, reported: null, ...figuresOf(object) },
      meter: NEW_METER,
      ...{ ...generationOf(object), ...lateAfterOf(context, object), reporter: randomUUID() },
      ...(since === null ? { seenAt: now } : { firstStartedAt: since, bootSeconds: null }),
      ...(await sinceBefore(context, object)),
    },
    since,
  );
  await assertBegun(context, record);
  return decideStep(
    context,
    composition,
    { recorded: record, decided: decidedPlan(context, object) },
    serverTime(context),
  );
}
