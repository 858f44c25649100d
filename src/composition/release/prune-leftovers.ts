import { manifestIn } from "../helm/stored-release.ts";
import { parseManifest } from "../helm/parse-manifest.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { isUnfinished, type RecordedRevision } from "../record/release-record.ts";
import type { Resource } from "../types.ts";
import { isOwned, listInstalled } from "./list-installed.ts";
import { deleteInstalled } from "./remove-installed.ts";
import type { Wanted } from "./wanted-release.ts";

const inputsOf = ({ labels }: RecordedRevision): string | undefined => labels[RELEASE_LABEL.inputs];

/** The same object in every version of its group. */
const idOf = ({ apiVersion, kind, metadata }: Resource): string =>
  [apiVersion.includes("/") ? apiVersion.split("/")[0] : "", kind, metadata.name].join(" ");

async function removeAllBut({ context, composition, namespace, name }: Wanted, kept: RecordedRevision[]) {
  const parsed = await Promise.all(kept.map(({ release }) => parseManifest(manifestIn(release))));
  const manifests = parsed.flat() as Resource[];
  const known = new Set(manifests.map(idOf));
  const installed = await listInstalled(context, namespace, name);
  const found = installed.filter(({ object }) => !known.has(idOf(object)) && !isOwned(object));
  await deleteInstalled(context, composition, name, { found, code: "REL_LEFTOVERS" });
}

/**
 * Deletes what unfinished revisions made and neither the deployed nor the newest one has: helm compares a new revision with the
 * deployed one only. `revisions` are those of the record, newest first.
 */
export async function pruneLeftovers(wanted: Wanted, revisions: RecordedRevision[]): Promise<void> {
  const { context, namespace, name } = wanted;
  const kept = revisions.filter(({ status }, index) => index === 0 || status === "deployed");
  const doubtful = revisions.filter((one) => !kept.includes(one) && isUnfinished(one));
  if (doubtful.length === 0) return;
  // The same values and chart render the same resources: a failure that repeats needs no search.
  const inputs = new Set(kept.map(inputsOf));
  if (doubtful.some((one) => !inputs.has(inputsOf(one)))) await removeAllBut(wanted, kept);
  const secrets = new Set(doubtful.map(({ secret }) => secret));
  await context.records.change(namespace, name, (all) =>
    all.map((one) => (secrets.has(one.secret) ? { ...one, pruned: true } : one)),
  );
}
