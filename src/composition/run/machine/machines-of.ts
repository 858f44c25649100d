import { messageOf } from "../../../errors.ts";
import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import { currentRevisions, type ReleaseRecord } from "../../record/release-record.ts";
import { otherHolder } from "../../release/recorded/holder-of.ts";
import { locate, manifestsOf } from "../../release/recorded/list-recorded.ts";
import { isControlPlane, isPool } from "../../status/cluster-status.ts";
import type { Resource } from "../../types.ts";
import { isMachine, liveResources } from "./run-sign.ts";

export type Parts = Pick<CompositionContext, "records" | "releases" | "discovery" | "tenant" | "clientIn">;

type Recorded = Pick<CompositionContext, "records">;

/** The name and the revisions of a run's release, by Landfall's own record; null if nothing was ever installed for it. */
async function releaseOf(
  { records }: Recorded,
  { namespace, uid }: RunRecord,
): Promise<{ name: string; revisions: ReleaseRecord["revisions"] } | null> {
  const name = await records.find(namespace, uid);
  return name === null ? null : { name, revisions: (await records.read(namespace, name))?.revisions ?? [] };
}

/** The revisions of a run's release; none if nothing was ever installed for it. */
export const revisionsOf = async (context: Recorded, run: RunRecord): Promise<ReleaseRecord["revisions"]> =>
  (await releaseOf(context, run))?.revisions ?? [];

const isOfRun = (resource: Resource): boolean => isMachine(resource) || isControlPlane(resource) || isPool(resource);

/** The machines of what was ever installed for a run, whether helm finished that or not, as the API server has them. */
export async function machinesOf(context: Parts, run: RunRecord): Promise<Resource[]> {
  const release = await releaseOf(context, run);
  if (release === null) return [];
  const [{ namespace }, { name, revisions }] = [run, release];
  const manifests = [...(await manifestsOf(currentRevisions(revisions))).values()].filter(isOfRun);
  if (manifests.length === 0) return [];
  await context.clientIn(namespace);
  const found: Resource[] = [];
  for (const { path } of await locate(context, namespace, manifests)) {
    const live = await context.tenant(namespace).get<Resource>(path);
    if (live !== null && (await otherHolder(context, live, { name, namespace })) === null) found.push(live);
  }
  return found;
}

/** The resources of a run: those that this process knows, or its machines, if it has installed nothing yet. Throws the API server's errors. */
export const liveNow = async (context: CompositionContext, run: RunRecord): Promise<Resource[]> =>
  context.releases.has(run.uid) ? liveResources(context, run.uid) : await machinesOf(context, run);

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
