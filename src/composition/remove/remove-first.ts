import { ANNOTATION } from "../../model/names.ts";
import { isKept } from "../claims/owned-marks.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { judgeRelease } from "../release/find-release.ts";
import { deleteRecorded } from "../release/recorded/delete-recorded.ts";
import { locate, manifestsOf, type Recorded } from "../release/recorded/list-recorded.ts";
import type { Resource } from "../types.ts";
import { beginRemoval } from "./begin-removal.ts";
import { putBackByRecord } from "./put-keeping-back.ts";

/** `group/Kind/name` of a manifest's object. */
const nameOf = ({ apiVersion, kind, metadata }: Resource): string =>
  `${apiVersion.split("/").slice(0, -1).join("/")}/${kind}/${metadata.name ?? ""}`;

/** The names of what is gone before this is deleted. */
const outlivedBy = ({ manifest }: Recorded): string[] =>
  (manifest.metadata.annotations?.[ANNOTATION.outlives] ?? "").split(",").flatMap((text) => text.trim() || []);

/**
 * Deletes the parts of a release but those that outlive others: helm would delete all at once. Returns what these wait for; nothing once they may
 * be deleted. Throws REL_….
 */
export async function removeFirst(
  context: CompositionContext,
  composition: Composition,
  release: string,
): Promise<Resource[]> {
  const { namespace = "" } = composition.object.metadata;
  const { revisions = [] } = (await context.records.read(namespace, release)) ?? {};
  const recorded = await locate(context, namespace, (await manifestsOf(revisions)).values());
  const outlived = new Set(recorded.flatMap(outlivedBy));
  const awaited = recorded.filter(({ manifest }) => outlived.has(nameOf(manifest)) && !isKept(manifest));
  const live = async (): Promise<Resource[]> => {
    const found = await Promise.all(awaited.map(({ path }) => context.tenant(namespace).get<Resource>(path)));
    return found.filter((resource) => resource !== null);
  };
  if ((await live()).length === 0 || (await judgeRelease(context, composition, release)).claim === "foreign") return [];
  await beginRemoval(context, composition, release);
  await putBackByRecord(context, composition);
  const first = recorded.filter((one) => outlivedBy(one).length === 0);
  await deleteRecorded(context, { name: release, namespace }, first);
  // Resources that another release has by now are not deleted, and not awaited.
  return (await live()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
}
