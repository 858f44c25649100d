import { messageOf } from "../../../errors.ts";
import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import { currentRevisions, type FormerObject, isUnchecked, type ReleaseRecord } from "../../record/release-record.ts";
import { otherHolder } from "../../release/recorded/holder-of.ts";
import { locate, manifestsOf } from "../../release/recorded/list-recorded.ts";
import { isControlPlane, isPool } from "../../status/cluster-status.ts";
import type { Resource } from "../../types.ts";
import { isMachine, liveResources } from "./run-sign.ts";

export type Parts = Pick<CompositionContext, "records" | "releases" | "discovery" | "tenant" | "clientIn">;

type Recorded = Pick<CompositionContext, "records">;

/** The namespace and the uid of the object of a run, and that of the earlier one if it was restored. */
type Owner = Pick<RunRecord, "namespace" | "uid" | "formerUid">;

interface RunRelease extends Pick<ReleaseRecord, "revisions" | "former"> {
  name: string;
}

/** The uid for which the release of a run is recorded, and the release; null if nothing was ever installed for it. */
export async function recordedFor(
  { records }: Recorded,
  { namespace, uid, formerUid = uid }: Owner,
): Promise<{ uid: string; release: string } | null> {
  for (const one of new Set([uid, formerUid])) {
    const release = await records.find(namespace, one);
    if (release !== null) return { uid: one, release };
  }
  return null;
}

/** The name, the revisions and the former objects of a run's release, by Landfall's own record; null if nothing was ever installed for it. */
async function releaseOf(context: Recorded, owner: Owner): Promise<RunRelease | null> {
  const recorded = await recordedFor(context, owner);
  if (recorded === null) return null;
  const { release: name } = recorded;
  return { revisions: [], ...(await context.records.read(owner.namespace, name)), name };
}

/** The revisions of a run's release; none if nothing was ever installed for it. */
export const revisionsOf = async (context: Recorded, run: Owner): Promise<ReleaseRecord["revisions"]> =>
  (await releaseOf(context, run))?.revisions ?? [];

const isOfRun = (resource: Resource): boolean => isMachine(resource) || isControlPlane(resource) || isPool(resource);

/** These objects of the release of a run, as the API server has them. */
async function liveOf(
  context: Parts,
  { namespace }: RunRecord,
  name: string,
  manifests: readonly FormerObject[],
): Promise<Resource[]> {
  if (manifests.length === 0) return [];
  await context.clientIn(namespace);
  const found: Resource[] = [];
  for (const { path } of await locate(context, namespace, manifests)) {
    const live = await context.tenant(namespace).get<Resource>(path);
    if (live !== null && (await otherHolder(context, live, { name, namespace })) === null) found.push(live);
  }
  return found;
}

/** The machines of what was ever installed for a run, whether helm finished that or not, as the API server has them. */
export async function machinesOf(context: Parts, run: RunRecord): Promise<Resource[]> {
  const release = await releaseOf(context, run);
  if (release === null) return [];
  const manifests = [...(await manifestsOf(currentRevisions(release.revisions))).values()].filter(isOfRun);
  return liveOf(context, run, release.name, manifests);
}

/** The machine of a run that former revisions of its release made, and that is still there: its provider has not deleted it. */
async function formerMachines(context: Parts, run: RunRecord): Promise<Resource[]> {
  const release = await releaseOf(context, run);
  if (release === null) return [];
  const { name, revisions, former = [] } = release;
  const kept = currentRevisions(revisions);
  const unchecked = revisions.filter((one) => !kept.includes(one) && isUnchecked(one));
  const objects = [...(await manifestsOf(unchecked)).values(), ...former];
  return liveOf(context, run, name, objects.filter(isMachine));
}

/**
 * The resources of a run: those that this process knows, or its machines, if it has installed nothing yet. Of a release without a machine, also the one
 * that it had, until that is deleted. Throws the API server's errors.
 */
export async function liveNow(context: CompositionContext, run: RunRecord): Promise<Resource[]> {
  const { uid, kind } = run;
  const live = context.releases.has(uid) ? liveResources(context, uid) : await machinesOf(context, run);
  return kind !== "VmTemplate" || live.some(isMachine) ? live : [...live, ...(await formerMachines(context, run))];
}

/** The resources of a run, as `liveNow`; none if they cannot be read, since time ends a run all the same, or if they are gone. */
export async function knownNow(context: CompositionContext, run: RunRecord): Promise<Resource[]> {
  if (run.removedAt !== null) return [];
  try {
    return await liveNow(context, run);
  } catch (thrown) {
    const { namespace, name } = run;
    context.log.debug({ namespace, name, error: messageOf(thrown) }, "the machine of a run could not be read");
    return [];
  }
}
