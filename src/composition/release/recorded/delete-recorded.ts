import pLimit from "p-limit";
import { hasStatus } from "../../../cluster/client/api-error.ts";
import { METADATA_ONLY } from "../../../cluster/client/create-client.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { RecordedRevision } from "../../record/release-record.ts";
import type { Resource } from "../../types.ts";
import { isKept, marksToPutBack } from "../../claims/owned-marks.ts";
import { otherHolder } from "./holder-of.ts";
import { locate, manifestsOf, type Recorded } from "./list-recorded.ts";

type Parts = Pick<CompositionContext, "records" | "tenant" | "log">;
type Named = Readonly<{ name: string; namespace: string }>;

/** How many are deleted at the same time. */
const AT_ONCE = 8;

function missing(thrown: unknown): false {
  if (hasStatus(thrown, 404)) return false;
  throw thrown;
}

async function deleteOne(context: Parts, of: Named, { manifest, path }: Recorded): Promise<boolean> {
  const client = context.tenant(of.namespace);
  const found = await client.get<Pick<Resource, "metadata">>(path, { accept: METADATA_ONLY });
  if (found === null) return false;
  const live = { apiVersion: manifest.apiVersion, kind: manifest.kind, metadata: found.metadata };
  if ((await otherHolder(context, live, of)) !== null) return false;
  const marks = marksToPutBack(manifest, live, of);
  if (marks !== null) {
    context.log.warn({ release: of.name, path, marks }, "marks that decide what a deletion does are put back");
    const isThere = await client.patch(path, "merge", { metadata: marks }).then(() => true, missing);
    if (!isThere) return false;
  }
  if (live.metadata.deletionTimestamp === undefined) await client.remove(path);
  return true;
}

/**
 * Deletes these objects of a release as the namespace's identity, whatever their metadata says: Helm would skip those whose marks were changed. Omits
 * what another recorded release has by now, and what the chart itself keeps. Returns how many of them still existed. Throws REL_API….
 */
export async function deleteRecorded(context: Parts, of: Named, recorded: readonly Recorded[]): Promise<number> {
  const limit = pLimit(AT_ONCE);
  const doomed = recorded.filter(({ manifest }) => !isKept(manifest));
  const existed = await Promise.all(doomed.map((one) => limit(() => deleteOne(context, of, one))));
  return existed.filter(Boolean).length;
}

/** Deletes all that these revisions of a release installed, as `deleteRecorded` does. */
export async function deleteByRecord(
  context: Parts & Pick<CompositionContext, "discovery">,
  of: Named,
  revisions: readonly RecordedRevision[],
): Promise<number> {
  return deleteRecorded(context, of, await locate(context, of.namespace, (await manifestsOf(revisions)).values()));
}
