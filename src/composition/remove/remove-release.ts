import pLimit from "p-limit";
import { below, isPathIn, parseApiPath } from "../../cluster/api-path.ts";
import { isObject } from "../../model/json.ts";
import { explainFailure } from "../helm/explain-failure.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Release } from "../managed/release.ts";
import { findRelease, judgeRelease, releaseName } from "../release/find-release.ts";
import { readRelease } from "../release/read-release.ts";
import { timedHelm } from "../release/timed-helm.ts";
import { putMarksBack } from "../release/drift/put-marks-back.ts";
import { deleteByRecord, deleteRecorded } from "../release/recorded/delete-recorded.ts";
import { locate } from "../release/recorded/list-recorded.ts";
import { removeInstalled } from "../release/remove-installed.ts";
import type { ManagedEntry, Resource } from "../types.ts";
import { beginRemoval, beginUnrecorded } from "./begin-removal.ts";
import { putBackByRecord } from "./put-keeping-back.ts";
import { removeFirst } from "./remove-first.ts";
import { stillDeleting } from "../release/recorded/still-deleting.ts";

/** Most entries of a status that are looked at, and how many resources are read at a time. */
const MOST = 200;
const AT_ONCE = 8;

/** Ms until resources that are being deleted are checked again; usually their watch reports it earlier. */
export const LOOK_AGAIN_MS = 5000;

/** An entry of the status, which others can write. */
type StoredEntry = Omit<ManagedEntry, "path"> & { path: string };

function managedOf(composition: Resource): ManagedEntry[] {
  const managed = composition.status?.["managed"];
  if (!Array.isArray(managed)) return [];
  const entries = managed.filter((entry): entry is StoredEntry => isObject(entry) && typeof entry["path"] === "string");
  const unique = new Map(entries.map((entry) => [entry.path, entry])).values();
  return [...unique.take(MOST)].flatMap((entry) => {
    const path = parseApiPath(entry.path);
    return path === null ? [] : [{ ...entry, path }];
  });
}

/** Null where nothing is known of it. */
function entriesOf(release: Release | null): ManagedEntry[] | null {
  const entries = release?.objects.map(({ entry }) => entry) ?? [];
  return entries.length > 0 ? entries : null;
}

/** The revisions that are recorded, the newest first, and the objects that earlier ones left. */
async function recordOf(context: CompositionContext, namespace: string, release: string) {
  const { revisions = [], former = [] } = (await context.records.read(namespace, release)) ?? {};
  return { revisions, former };
}

/** The end of a run has a time, so that it comes before installations and deletions. */
const isEnd = ({ object }: Composition): boolean => object.metadata.deletionTimestamp === undefined;

async function callUninstall(
  context: CompositionContext,
  namespace: string,
  release: string,
  isUrgent: boolean,
): Promise<void> {
  const result = await timedHelm(context, { verb: "uninstall", namespace, release }, { isUrgent });
  if (result.code !== 0) throw explainFailure({ action: "uninstall", release, chart: release, stderr: result.stderr });
}

/** Uninstalls what is recorded, and returns it. Null where nothing is: nothing else may be given to helm. */
export async function uninstall(
  context: CompositionContext,
  composition: Composition,
  release: string,
): Promise<ManagedEntry[] | null> {
  const { namespace = "", uid = "" } = composition.object.metadata;
  const { revisions, former } = await recordOf(context, namespace, release);
  const [last] = revisions;
  if (last === undefined) return null;
  const known = managedOf(composition.object);
  if ((await judgeRelease(context, composition, release)).claim === "foreign") return known;
  // The release's resources must be known before helm forgets it.
  const read = await readRelease(context, composition, last).catch(() => null);
  if (read) context.releases.set(uid, read);
  await beginRemoval(context, composition, release);
  // Helm skips what its marks do not name any more, and forgets it: everything is asked to go before.
  await deleteByRecord(context, { name: release, namespace }, revisions);
  await deleteRecorded(context, { name: release, namespace }, await locate(context, namespace, former));
  await callUninstall(context, namespace, release, isEnd(composition));
  context.uninstalled.set(uid, release);
  return entriesOf(read) ?? known;
}

/**
 * Those of these that are still being deleted. What helm left in place is not waited for. The entries may come from a status
 * that someone else wrote, so that they are read with the rights of the object's namespace.
 */
async function blocking(
  context: CompositionContext,
  { object }: Composition,
  entries: ManagedEntry[],
): Promise<Resource[]> {
  const { namespace = "" } = object.metadata;
  const mine = entries.filter(({ path }) => path.startsWith("/apis/") && isPathIn(namespace, path));
  const [client, limit] = [context.tenant(namespace), pLimit(AT_ONCE)];
  const found = await Promise.all(mine.map(({ path }) => limit(() => client.get<Resource>(path))));
  return found.filter((resource) => resource?.metadata.deletionTimestamp !== undefined).filter((r) => r !== null);
}

/** Forgets what this process knows of a release whose resources are gone. */
export function forgetRelease(context: CompositionContext, { object, key }: Composition): void {
  const { uid = "" } = object.metadata;
  context.looks.forget(
    uid,
    (context.releases.get(uid)?.objects ?? []).map(({ entry }) => entry.path),
  );
  context.releases.delete(uid);
  context.uninstalled.delete(uid);
  context.retrying.delete(uid);
  context.managed.release(key);
}

/** Those of these resources that still exist. */
async function waitFor(
  context: CompositionContext,
  composition: Composition,
  entries: ManagedEntry[],
): Promise<Resource[]> {
  const known = context.releases.get(composition.object.metadata.uid ?? "");
  // Until its operator has deleted a resource, an annotation can still keep it at its provider.
  if (known !== undefined) await putMarksBack(context, composition, known);
  // Another process called helm: this one does not know what the release gave its objects.
  else await putBackByRecord(context, composition);
  const left = await blocking(context, composition, entries);
  // The resources may be missing in the status, if the composition was deleted before its first status was written.
  if (left.length > 0 && managedOf(composition.object).length === 0) {
    await context.client.patch(below(composition.path, "status"), "merge", { status: { managed: entries } });
  }
  return left;
}

/** The resources of a release that helm uninstalled before. */
const lastEntries = (context: CompositionContext, { object }: Composition): ManagedEntry[] =>
  entriesOf(context.releases.get(object.metadata.uid ?? "") ?? null) ?? managedOf(object);

/** The release of this uid that helm uninstalled; by the record of its removal, if another process called helm. */
const uninstalledOf = async ({ uninstalled, removals }: CompositionContext, uid: string): Promise<string | null> =>
  uninstalled.get(uid) ?? (await removals.of(uid))?.release ?? null;

async function removeParts(
  context: CompositionContext,
  composition: Composition,
  found: string | null,
): Promise<Resource[]> {
  const { name = "", uid = "" } = composition.object.metadata;
  const entries = found === null ? null : await uninstall(context, composition, found);
  const uninstalled = await uninstalledOf(context, uid);
  if (entries === null && uninstalled === null)
    return removeInstalled(context, composition, found ?? releaseName(name, uid), "REL_UNRECORDED");
  const left = await waitFor(context, composition, entries ?? lastEntries(context, composition));
  // Without a call of helm, the release is another object's.
  if (left.length > 0 || uninstalled === null) return left;
  return removeInstalled(context, composition, uninstalled, "REL_LEFTOVERS");
}

/**
 * The parts of the release that still exist after everything was done to remove it. Helm knows the resources of the newest revision only:
 * what earlier ones left, where an upgrade failed, is found by helm's marks on it, and by the record of the removal, which names what moves left.
 */
export async function removeFound(
  context: CompositionContext,
  composition: Composition,
  found: string | null,
): Promise<Resource[]> {
  const { name = "", uid = "" } = composition.object.metadata;
  const first = found === null ? [] : await removeFirst(context, composition, found);
  if (first.length > 0) return first;
  const parts = await removeParts(context, composition, found);
  const removal = parts.length === 0 ? await context.removals.of(uid) : null;
  const left = removal === null ? parts : await stillDeleting(context, removal);
  if (left.length === 0) await context.removals.ended(uid);
  else await beginUnrecorded(context, composition, found ?? releaseName(name, uid));
  return left;
}

/** Removes the release of a composition that stays. Returns what still exists; nothing if there is no release. */
export async function removeRelease(context: CompositionContext, composition: Composition): Promise<Resource[]> {
  await context.clientIn(composition.object.metadata.namespace ?? "");
  const { own } = await findRelease(context, composition);
  return removeFound(context, composition, own);
}
