import type { CompositionContext } from "../context/composition-context.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { currentRevisions, isUnchecked, isUnfinished, type RecordedRevision } from "../record/release-record.ts";
import { deleteRecorded } from "./recorded/delete-recorded.ts";
import { idOf } from "../claims/object-ids.ts";
import { locate, manifestsOf } from "./recorded/list-recorded.ts";
import { isOwned, listInstalled } from "./list-installed.ts";
import { deleteInstalled } from "./remove-installed.ts";
import type { Wanted } from "./wanted-release.ts";

const inputsOf = ({ labels }: RecordedRevision): string | undefined => labels[RELEASE_LABEL.inputs];

async function removeAllBut({ context, composition, namespace, name }: Wanted, kept: RecordedRevision[]) {
  const known = await manifestsOf(kept);
  const installed = await listInstalled(context, namespace, name);
  const found = installed.filter(({ object }) => !known.has(idOf(object)) && !isOwned(object));
  await deleteInstalled(context, composition, name, { found, code: "REL_LEFTOVERS" });
}

/** The revisions of which the release consists, and those that may have left what these lack. */
function sortOut(revisions: readonly RecordedRevision[]) {
  const kept = currentRevisions(revisions);
  return { kept, former: revisions.filter((one) => !kept.includes(one) && isUnchecked(one)) };
}

/**
 * Deletes, by their paths, the objects of earlier revisions that the newest and the deployed one lack: Helm leaves those whose marks were changed. Returns
 * whether nothing of them exists any more. `revisions` newest first.
 */
export async function removeFormer(
  context: CompositionContext,
  of: { name: string; namespace: string },
  revisions: readonly RecordedRevision[],
): Promise<boolean> {
  const { kept, former } = sortOut(revisions);
  const objects = (await context.records.read(of.namespace, of.name))?.former ?? [];
  if (former.length + objects.length === 0) return true;
  const [known, before] = [await manifestsOf(kept), await manifestsOf(former)];
  for (const object of objects) if (!before.has(idOf(object))) before.set(idOf(object), object);
  const gone = [...before].filter(([id]) => !known.has(id)).map(([, manifest]) => manifest);
  return (await deleteRecorded(context, of, await locate(context, of.namespace, gone))) === 0;
}

/**
 * Deletes what earlier revisions made and neither the deployed nor the newest one has, and marks them in the record when that is gone. What unfinished
 * revisions made is found by Helm's marks as well: Helm compares a new revision with the deployed one only. `revisions` are those of the record,
 * newest first.
 */
export async function pruneLeftovers(wanted: Wanted, revisions: RecordedRevision[]): Promise<void> {
  const { context, namespace, name } = wanted;
  const { kept, former } = sortOut(revisions);
  const isGone = await removeFormer(context, { name, namespace }, revisions);
  if (isGone) await context.records.formerGone(namespace, name);
  if (former.length === 0) return;
  // The same values and chart render the same resources: a failure that repeats needs no search.
  const inputs = new Set(kept.map(inputsOf));
  const unfinished = former.filter(isUnfinished);
  if (unfinished.some((one) => !inputs.has(inputsOf(one)))) await removeAllBut(wanted, kept);
  const secrets = new Set((isGone ? former : []).map(({ secret }) => secret));
  if (secrets.size === 0) return;
  await context.records.change(namespace, name, (all) =>
    all.map((one) => (secrets.has(one.secret) ? { ...one, pruned: true } : one)),
  );
}
