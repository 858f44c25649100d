import { LABEL } from "../../keys.ts";
import { lacksMachine } from "../../../model/runs/run-times.ts";
import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import { valuesIn } from "../../helm/stored-release.ts";
import { placeIn } from "../../record/release-owner.ts";
import { forgetRelease, removeRelease } from "../../remove/remove-release.ts";
import type { Resource } from "../../types.ts";
import type { FollowedRun } from "../follow/follow-run.ts";

/** Whether the newest revision of the object's release is in another place than its spec. */
async function isElsewhere({ records }: CompositionContext, { metadata, spec = {} }: Resource): Promise<boolean> {
  const record = await records.read(metadata.namespace ?? "", metadata.labels?.[LABEL.releaseName] ?? "");
  const newest = record?.revisions[0];
  return newest !== undefined && placeIn(valuesIn(newest.release)) !== placeIn(spec);
}

/**
 * Removes what a run left in its former place, before it is installed in the one that was decided for it: names are the same in both,
 * and no operator moves a network. True while something of it is still there. Nothing for any other run.
 */
export async function leavePlace(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun | null,
  removing: typeof removeRelease = removeRelease,
): Promise<boolean> {
  if (run === null || run.step.do !== "run" || !lacksMachine(run.record)) return false;
  // Resources that helm uninstalled may still be being deleted.
  const { uid } = run.record;
  const isRemoving = context.uninstalled.has(uid) || (await context.removals.of(uid)) !== null;
  if (!isRemoving && !(await isElsewhere(context, composition.object))) return false;
  if ((await removing(context, composition)).length > 0) return true;
  forgetRelease(context, composition);
  return false;
}
