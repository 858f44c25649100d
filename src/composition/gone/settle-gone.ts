import { FINALIZER } from "../keys.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { removeGone } from "../remove/remove-composition.ts";
import { recordRetained } from "../retain/record-retained.ts";
import type { Resource } from "../types.ts";

/** A composition that no longer exists. */
export interface GoneComposition {
  /** As it was seen last. */
  composition: Composition;
  /** Whether that is the state in which it was deleted. */
  isFinal: boolean;
}

/**
 * Whether it was deleted while its finalizer was being added. The API server reads the finalizers once, when a deletion begins, and then
 * deletes whatever the object has become (`Store.Delete` in k8s.io/apiserver, pkg/registry/generic/registry/store.go).
 */
function isUnheld({ composition, isFinal }: GoneComposition): boolean {
  const { finalizers = [], deletionTimestamp } = composition.object.metadata;
  return isFinal && deletionTimestamp === undefined && finalizers.includes(FINALIZER);
}

/**
 * Deals with the release of an object that is gone although its release was never uninstalled. If the object was deleted while its
 * finalizer was being added, the release is uninstalled as at any deletion. Otherwise someone removed the finalizer: what it left running is
 * recorded, so that it counts. Throws REL_… and the API server's errors.
 */
export async function settleGone(context: CompositionContext, gone: GoneComposition): Promise<void> {
  const { object, path } = gone.composition;
  const { namespace = "", name, uid = "" } = object.metadata;
  // Its deletion is underway, and continues without it.
  if ((await context.removals.of(uid)) !== null) return;
  const release = await context.records.find(namespace, uid);
  if (release === null) return;
  const present = await context.client.get<Resource>(path);
  if (present?.metadata.uid === uid) return;
  if (isUnheld(gone)) {
    context.log.info(
      { namespace, name, release },
      "an object was deleted while it was adopted; its release is uninstalled",
    );
    await removeGone(context, gone.composition, release);
    return;
  }
  await recordRetained(context, gone.composition, release, true);
  context.log.warn({ namespace, name, release }, "an object is gone without its finalizer; its release still counts");
}
