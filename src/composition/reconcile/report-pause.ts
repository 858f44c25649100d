import type { Result } from "../../cluster/queue/work-queue.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { sooner, untilNext } from "../run/end/end-run.ts";
import { withAwaited } from "../run/follow/awaited-run.ts";
import type { FollowedRun } from "../run/follow/follow-run.ts";
import { noteHeld } from "../run/follow/note-held.ts";
import { spoilBoot } from "../run/follow/note-ready.ts";
import { fieldsOfRun, whileHeld } from "../run/follow/run-status.ts";
import { isScheduled, nextCountdown, scheduledCondition } from "../schedule/start-time.ts";
import { machineStatus } from "../status/machine-status.ts";
import { foundOf, readyOf } from "../status/ready-condition.ts";
import { writeStatus } from "../status/write-status.ts";
import { notReady, PAUSED } from "./report-failure.ts";

/** Notes the machine of a run while its user pauses the object, where this process has seen its release. */
async function noteWhileHeld(
  context: CompositionContext,
  { object }: Composition,
  run: FollowedRun | null,
): Promise<boolean> {
  const release = context.releases.get(object.metadata.uid ?? "");
  if (run === null || release === undefined) return false;
  const found = foundOf(context, release);
  const machine = machineStatus(found);
  const hasMachine = machine !== null && machine.id !== null;
  return noteHeld(context, object, run, { ready: readyOf(context, object, found), hasMachine });
}

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
  const conditions = [
    ...scheduled,
    ...held,
    PAUSED,
    ...(run === null ? [] : withAwaited(object, run.record, whileHeld(run))),
  ];
  await writeStatus(context, composition, { conditions, fields: fieldsOfRun(object, run) });
  await spoilBoot(context, object);
  if (await noteWhileHeld(context, composition, run)) return { requeueAfter: 0 };
  return { requeueAfter: sooner(nextCountdown(object, nowSeconds), run && untilNext(run)) };
}
