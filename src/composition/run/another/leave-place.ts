import { LABEL } from "../../keys.ts";
import { lacksMachine } from "../../../model/runs/run-times.ts";
import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import { valuesIn } from "../../helm/stored-release.ts";
import { placeIn } from "../../record/release-owner.ts";
import { forgetRelease, removeRelease } from "../../remove/remove-release.ts";
import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { Resource } from "../../types.ts";
import type { FollowedRun } from "../follow/follow-run.ts";

/**
 * Whether the newest revision of the object's release is in another place or zone than its spec. Only admission writes another zone of the
 * same place, where there is no machine (admission/update/reconsider/another-zone.ts).
 */
async function isElsewhere(
  { records }: CompositionContext,
  { metadata, spec = {} }: Resource,
  run: RunRecord,
): Promise<boolean> {
  const record = await records.read(metadata.namespace ?? "", metadata.labels?.[LABEL.releaseName] ?? "");
  const newest = record?.revisions[0];
  if (newest === undefined) return false;
  const values = valuesIn(newest.release);
  return placeIn(values) === placeIn(spec) ? values["zone"] !== spec["zone"] : lacksMachine(run);
}

/** Whether the run has no machine that works, and its resources go with its release. A planned pause may begin before it was moved. */
const mayLeave = ({ record: { wasReady, end, plan }, step }: FollowedRun): boolean =>
  (step.do === "run" || step.do === "pause") && !wasReady && end === null && !plan.retains;

/**
 * Removes what a run left in its former place or zone, before it is installed in the one that was decided for it: names are the same in both,
 * and no operator moves a network or a machine. True while something of it is still there. Nothing for any other run.
 */
export async function leavePlace(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun | null,
  removing: typeof removeRelease = removeRelease,
): Promise<boolean> {
  if (run === null || !mayLeave(run)) return false;
  // Resources that helm uninstalled may still be being deleted.
  const { uid } = run.record;
  const isRemoving = context.uninstalled.has(uid) || (await context.removals.of(uid)) !== null;
  if (!isRemoving && !(await isElsewhere(context, composition.object, run.record))) return false;
  if ((await removing(context, composition)).length > 0) return true;
  forgetRelease(context, composition);
  return false;
}
