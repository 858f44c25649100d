import type { Result } from "../../cluster/queue/work-queue.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { sooner, untilNext } from "../run/end/end-run.ts";
import { conditionsOfRun, withAwaited } from "../run/follow/awaited-run.ts";
import type { FollowedRun } from "../run/follow/follow-run.ts";
import { noteHeld } from "../run/follow/note-held.ts";
import { spoilBoot } from "../run/follow/note-ready.ts";
import { fieldsOfRun, whileHeld } from "../run/follow/run-status.ts";
import { tellTurned } from "../run/follow/tell-turned.ts";
import { isScheduled, nextCountdown, scheduledCondition } from "../schedule/start-time.ts";
import { seenMachine } from "../run/machine/machine-now.ts";
import type { Found } from "../status/retry-times.ts";
import { foundOf, readyOf } from "../status/ready-condition.ts";
import { writeStatus } from "../status/write-status.ts";
import { notReady, PAUSED } from "./report-failure.ts";

/** The resources of a run as they are found: those of its release, or its machines if this process has not seen that yet. */
function foundNow(context: CompositionContext, { record: { uid }, live = [] }: FollowedRun): Found[] {
  const release = context.releases.get(uid);
  if (release !== undefined) return foundOf(context, release);
  return live.map((one) => ({ apiVersion: one.apiVersion, kind: one.kind, name: one.metadata.name ?? "", live: one }));
}

/** Notes the machine of a run while its user pauses the object. */
async function noteWhileHeld(
  context: CompositionContext,
  { object }: Composition,
  run: FollowedRun | null,
): Promise<boolean> {
  const found = run === null ? [] : foundNow(context, run);
  if (run === null || found.length === 0) return false;
  const live = found.flatMap((one) => one.live ?? []);
  return noteHeld(context, object, run, seenMachine(live, readyOf(context, object, found)));
}

/** Milliseconds until the machine of a run that is not over is looked at again: only the resources of a release that this process knows are watched. */
const lookAgainMs = ({ resyncSeconds }: CompositionContext, run: FollowedRun | null): number | null =>
  run === null || run.record.end !== null ? null : resyncSeconds * 1000;

/** A run that is still recorded continues while its object is paused, and ends in time. */
export async function reportPause(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun | null,
): Promise<Result> {
  const { object } = composition;
  const { namespace = "", uid = "" } = object.metadata;
  // No upgrade corrects it meanwhile.
  if (!isScheduled(object)) await context.records.correct(namespace, uid);
  const nowSeconds = context.nowSeconds();
  const scheduled = scheduledCondition(object, nowSeconds);
  const [start] = scheduled;
  const held = isScheduled(object) && start ? [notReady("Scheduled", start.message)] : [];
  const ofRun = run === null ? conditionsOfRun(object, run) : withAwaited(object, run.record, whileHeld(run));
  const conditions = [...scheduled, ...held, PAUSED, ...ofRun];
  tellTurned(context, object, ofRun);
  await writeStatus(context, composition, { conditions, fields: fieldsOfRun(object, run) });
  await spoilBoot(context, object);
  if (await noteWhileHeld(context, composition, run)) return { requeueAfter: 0 };
  const next = sooner(nextCountdown(object, nowSeconds), run && untilNext(run));
  return { requeueAfter: sooner(next, lookAgainMs(context, run)) };
}
