import type { CompositionContext } from "../../context/composition-context.ts";
import type { Removal } from "../../record/open-removals.ts";
import { pathsOf } from "./list-recorded.ts";
import type { Resource } from "../../types.ts";

/**
 * The objects that the record of the removal names and that are still being deleted, whatever their metadata say by now: also those that a move left. What a
 * release has by now is its own: it was gone before that could have it. What another removal names as well is waited for by both. Throws REL_API….
 */
export async function stillDeleting(context: CompositionContext, removal: Removal): Promise<Resource[]> {
  const { namespace, release, objects = [] } = removal;
  if (objects.length === 0) return [];
  const others = (await context.records.claims(namespace)).filter((one) => one.release !== release);
  const theirs = new Set(others.flatMap(({ current }) => current));
  const own = objects.filter((id) => !theirs.has(id));
  const deleting: Resource[] = [];
  for (const path of await pathsOf(context, namespace, own)) {
    const live = await context.tenant(namespace).get<Resource>(path);
    if (live?.metadata.deletionTimestamp !== undefined) deleting.push(live);
  }
  return deleting;
}
