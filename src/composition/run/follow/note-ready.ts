import { messageOf } from "../../../errors.ts";
import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { FollowedRun } from "./follow-run.ts";
import { hasBegunLate, seenSince } from "../machine/begin-of.ts";
import { isThere, type SeenMachine } from "../machine/machine-now.ts";
import { machineOf, machineOver } from "../machine/run-sign.ts";
import { beginTime } from "./run-clock.ts";
import { metered } from "../state/run-account.ts";
import { paceOf, withUnlapsed } from "../state/run-time.ts";

/**
 * Seconds from the start until now, also where its machine came late; null for a run whose machine was there before, or whose spec was changed
 * meanwhile. A run that was observed stays as it is.
 */
function bootOf(record: RunRecord, { metadata }: Resource, now: number): number | null {
  const { bootSeconds, startedAt, firstStartedAt = startedAt, generation } = record;
  if (bootSeconds !== undefined) return bootSeconds;
  const isFirst = firstStartedAt === startedAt || hasBegunLate(record);
  return isFirst && generation === metadata.generation ? Math.max(0, Math.round(now - firstStartedAt)) : null;
}

/**
 * Records that the boot of this object's run, if it is still at it, says nothing of its provider: it was paused, or something
 * failed that its user may have caused. Throws the conflict (409) if the record was changed meanwhile.
 */
export async function spoilBoot({ runs }: Pick<CompositionContext, "runs">, { metadata }: Resource): Promise<void> {
  const newest = await runs.read(metadata.uid ?? "");
  if (newest === null || newest.wasReady || newest.bootSeconds !== undefined) return;
  await runs.change({ ...newest, bootSeconds: null });
}

/** A run whose machine was evicted starts again when it has another one: its limit counts from its first start. Throws RUN_CLOCKS. */
function restarted(
  context: CompositionContext,
  { evictions, startedAt, firstStartedAt = startedAt }: RunRecord,
  since: number,
): Partial<RunRecord> {
  if (evictions?.waiting !== true) return {};
  beginTime(context);
  return { startedAt: since, firstStartedAt, evictions: { ...evictions, waiting: false } };
}

/** Since when the machine is there: of a run that waited for another one, as its provider or its operator says. */
const readySince = (record: RunRecord, live: readonly Resource[], now: number): number =>
  record.evictions?.waiting === true ? seenSince(record, live, now) : now;

const onFrom = (record: RunRecord, now: number): RunRecord =>
  record.meter?.on === false ? metered(record, now, { on: true }) : record;

/** Says that a run whose machine was evicted has another one. */
function tellAgain(context: CompositionContext, object: Resource, { evictions }: RunRecord): void {
  if (evictions?.waiting !== true) return;
  const message = "its spot machine is there again: the run begins again, with its whole duration";
  context.record(object, { type: "Normal", reason: "StartedAgain", message });
}

/** Learns how long a boot takes. A failure costs one observation. */
async function learnBoot(context: CompositionContext, object: Resource, seconds: number): Promise<void> {
  const { provider } = object.spec ?? {};
  const { namespace = "" } = object.metadata;
  if (typeof provider !== "string") return;
  try {
    await context.boots.observe(provider, object.kind, { namespace, seconds });
  } catch (thrown) {
    context.log.warn({ error: messageOf(thrown) }, "the time to boot was not recorded");
  }
}

const isHeldUp = ({ record, step }: FollowedRun, { reason }: ConditionInput): boolean =>
  !record.wasReady && (reason.startsWith("Provider") || step.do === "pause");

/** The record of a run whose machine is there for the first time; null if it is not, or still shows the end of the run before. */
async function newlyReady(
  context: CompositionContext,
  { record, step }: FollowedRun,
  { ready, live }: Pick<SeenMachine, "ready" | "live">,
): Promise<RunRecord | null> {
  // A stop that is asked for, and that nothing takes back while the object is paused, is still to come.
  if (record.wasReady || step.do !== "run" || record.asked?.on === false) return null;
  if (!isThere(live, ready) || live.some((resource) => machineOver(resource) !== null)) return null;
  // A report of the machine may have been recorded since the reconcile began.
  const newest = await context.runs.read(record.uid);
  return newest === null || newest.run !== record.run ? null : newest;
}

/**
 * Records that a run's machine was there once: from then on, one that is not there is over. Returns whether that changes when the run is to be looked at.
 */
export async function noteReady(
  context: CompositionContext,
  object: Resource,
  run: FollowedRun | null,
  seen: Pick<SeenMachine, "ready" | "live">,
): Promise<boolean> {
  if (run !== null && isHeldUp(run, seen.ready)) await spoilBoot(context, object);
  const newest = run && (await newlyReady(context, run, seen));
  if (run === null || newest === null) return false;
  const bootSeconds = bootOf(newest, object, run.now);
  const since = readySince(newest, seen.live, run.now);
  const again = restarted(context, newest, since);
  const there = { ...onFrom(newest, since), ...again, wasReady: true, machine: machineOf(seen.live), bootSeconds };
  const noted = withUnlapsed(there, newest, run.now, context.timeLapse);
  await context.runs.change(noted);
  tellAgain(context, object, newest);
  if (newest.bootSeconds === undefined && bootSeconds !== null) await learnBoot(context, object, bootSeconds);
  return newest.evictions?.waiting === true || paceOf(noted, context.timeLapse) !== 1;
}
