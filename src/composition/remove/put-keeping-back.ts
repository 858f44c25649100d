import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { idOf } from "../claims/object-ids.ts";
import { deletingMarks } from "../claims/owned-marks.ts";
import type { Removal } from "../record/open-removals.ts";
import { pathsOf } from "../release/recorded/list-recorded.ts";
import { recordLeft } from "../retain/record-retained.ts";
import { stillDeleting } from "../release/recorded/still-deleting.ts";
import type { Resource } from "../types.ts";

/**
 * Puts back the annotations with which operators leave at their providers what the removal deletes, by its record alone: the object is gone, or another
 * process called helm. What had one is recorded, so that it counts: its operator may have seen it. What the release itself keeps stays as it is. Throws REL_API….
 */
export async function putKeepingBack(
  context: CompositionContext,
  composition: Composition,
  { namespace, release, kept }: Removal,
  deleting: readonly Resource[],
): Promise<void> {
  if (kept === undefined) return;
  for (const live of deleting) {
    const [id, annotations] = [idOf(live), deletingMarks(live)];
    if (kept.includes(id) || Object.keys(annotations).length === 0) continue;
    await recordLeft(context, composition, release);
    context.log.warn(
      { release, namespace, id, annotations },
      "annotations that keep what is being deleted are put back",
    );
    for (const path of await pathsOf(context, namespace, [id]))
      await context.tenant(namespace).patch(path, "merge", { metadata: { annotations } });
  }
}

/** The same for all that its removal deletes; nothing if none is recorded. Throws REL_API…. */
export async function putBackByRecord(context: CompositionContext, composition: Composition): Promise<void> {
  const removal = await context.removals.of(composition.object.metadata.uid ?? "");
  if (removal !== null) await putKeepingBack(context, composition, removal, await stillDeleting(context, removal));
}
