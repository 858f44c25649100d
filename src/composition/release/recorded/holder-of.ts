import type { CompositionContext } from "../../context/composition-context.ts";
import type { TakenObject } from "../../helm/read-conflict.ts";
import type { Resource } from "../../types.ts";
import { currentRevisions } from "../../record/release-record.ts";
import { HELM_MARK } from "../../claims/owned-marks.ts";
import { idOf } from "../../claims/object-ids.ts";
import { manifestsOf } from "./list-recorded.ts";

type Parts = Pick<CompositionContext, "records">;
type Named = Readonly<{ name: string; namespace: string }>;

/** The release that Helm's marks name; null for none. Users who may write the object's metadata can write them. */
export function holderOf(live: Resource | null | undefined): TakenObject["holder"] {
  const { [HELM_MARK.release]: release, [HELM_MARK.namespace]: namespace } = live?.metadata.annotations ?? {};
  return release === undefined || namespace === undefined ? null : { release, namespace };
}

/**
 * The other release that has the object: the one that its marks name, if Landfall recorded that it installed this object. Null for none. Charts
 * install objects of their release's namespace only, so that no release of another namespace can have it.
 */
export async function otherHolder(
  { records }: Parts,
  live: Resource,
  { name, namespace }: Named,
): Promise<TakenObject["holder"]> {
  const holder = holderOf(live);
  if (holder === null || holder.namespace !== namespace || holder.release === name) return null;
  const { revisions = [] } = (await records.read(namespace, holder.release)) ?? {};
  return (await manifestsOf(currentRevisions(revisions))).has(idOf(live)) ? holder : null;
}
