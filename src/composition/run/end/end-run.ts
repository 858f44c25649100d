import type { Result } from "../../../cluster/queue/work-queue.ts";
import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import { forgetRelease, LOOK_AGAIN_MS, removeRelease } from "../../remove/remove-release.ts";
import { writeStatus } from "../../status/write-status.ts";
import { conditionsOfRun } from "../follow/awaited-run.ts";
import type { FollowedRun } from "../follow/follow-run.ts";
import { accountText, endedReady, runStatus } from "../follow/run-status.ts";
import { tellTurned } from "../follow/tell-turned.ts";

/** Ms until the time of the next step has come; null if time alone changes nothing. */
export const untilNext = ({ step, now, pace = 1 }: FollowedRun): number | null =>
  step.lookAt === null ? null : (Math.max(0, step.lookAt - now) * 1000) / pace;

/** The sooner of two waits in ms; null is never. */
export const sooner = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** Whether nothing is installed, upgraded or repaired for the run any more. */
export const isRunOver = ({ step }: FollowedRun): boolean => step.do === "remove" || step.do === "rest";

/** Removes the release of an object, and returns what is left of it. */
type Removing = typeof removeRelease;

async function report(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun,
  left: number,
): Promise<void> {
  const conditions = conditionsOfRun(composition.object, run);
  tellTurned(context, composition.object, conditions);
  const gone = run.record.removedAt === null ? {} : { managed: [], machine: null };
  await writeStatus(context, composition, {
    conditions: [...conditions, endedReady(run.record, run.step, left)],
    fields: { ...runStatus(run.record, run.step), ...gone },
  });
}

/** Records that the deletion begins, before anything is deleted: no change of the object stops it half-way. */
async function beginDeletion({ runs }: CompositionContext, run: FollowedRun): Promise<FollowedRun> {
  const { record, now } = run;
  if (record.deletingSince !== undefined) return run;
  return { ...run, record: await runs.change({ ...record, deletingSince: now }) };
}

/** Removes the resources of a run that is over. How many are left. */
async function remove(
  context: CompositionContext,
  composition: Composition,
  given: FollowedRun,
  removing: Removing,
): Promise<{ run: FollowedRun; left: number }> {
  const run = await beginDeletion(context, given);
  const left = await removing(context, composition);
  if (left.length > 0) return { run, left: left.length };
  const record = await context.runs.change({ ...run.record, removedAt: run.now });
  forgetRelease(context, composition);
  context.runMetrics.removed();
  const { end } = record;
  const message = `its resources are deleted${end === null ? "" : `: ${accountText(record, end)}`}`;
  context.record(composition.object, { type: "Normal", reason: "DeletedAfterEnd", message });
  return { run: { ...run, record }, left: 0 };
}

/** Does what is to be done about a run that is over. */
export async function endRun(
  context: CompositionContext,
  composition: Composition,
  given: FollowedRun,
  removing: Removing = removeRelease,
): Promise<Result> {
  const { run, left } =
    given.step.do === "remove" ? await remove(context, composition, given, removing) : { run: given, left: 0 };
  await report(context, composition, run, left);
  if (left > 0) return { requeueAfter: LOOK_AGAIN_MS };
  const cost = run.step.overdueSince === null ? null : context.resyncSeconds * 1000;
  return { requeueAfter: run.record.removedAt === null ? sooner(untilNext(run), cost) : null };
}
