import { listRevisions } from "../helm/release-storage.ts";
import { restoreCopies } from "./restore-copies.ts";
import { currentRevisions, type RecordedRevision } from "../record/release-record.ts";
import type { Resource } from "../types.ts";
import { findTaken } from "./recorded/find-taken.ts";
import { manifestsOf } from "./recorded/list-recorded.ts";
import { startRecord } from "./start-record.ts";
import { ApiError } from "../../cluster/client/api-error.ts";
import { LandfallError } from "../../errors.ts";
import { explainTaken } from "./explain-taken.ts";
import { judgeRelease } from "./find-release.ts";
import { observeLost } from "./observe-release.ts";
import { readRelease } from "./read-release.ts";
import type { Release } from "../managed/release.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { describeOwner } from "../record/release-owner.ts";
import type { Wanted } from "./wanted-release.ts";

/**
 * The release as one that has to be looked at again, whatever is wanted: a later revision can have been begun, and have left objects. Otherwise an
 * object that goes back to the values of its deployed revision would count as settled.
 */
export const unsettled = (release: Release): Release => ({ ...release, inputs: "" });

/** Throws REL_RELEASE_FOREIGN for a release that was not installed for this composition. */
async function assertOwn({ context, composition, uid, name, namespace }: Wanted): Promise<void> {
  const { claim, owner } = await judgeRelease(context, composition, name);
  if (claim !== "foreign") return;
  context.releases.delete(uid);
  throw new LandfallError("REL_RELEASE_FOREIGN", { release: name, namespace, owner: describeOwner(owner) });
}

/** The revision whose resources helm treats as the release's: the deployed one, or the only one, if it failed. */
const baseOf = (revisions: RecordedRevision[]): RecordedRevision | undefined =>
  revisions.find(({ status }) => status === "deployed") ??
  revisions.slice(0, 1).find(({ status }) => status === "failed");

async function readBase(wanted: Wanted, base: RecordedRevision, known: Release | undefined): Promise<Release | null> {
  const { context, composition } = wanted;
  const inputs = base.labels[RELEASE_LABEL.inputs] ?? "";
  if (known?.secret === base.secret) return { ...known, inputs, checkedAt: context.nowSeconds() };
  if (base.status === "deployed") return readRelease(context, composition, base);
  return readRelease(context, composition, base).catch((thrown: unknown) => {
    if (thrown instanceof ApiError) throw thrown;
    // One of its kinds is not served: that is why it failed, and does not prevent another attempt.
    return null;
  });
}

async function assertHeld({ context, composition }: Wanted, release: Release): Promise<void> {
  const lost = await observeLost(context, release);
  if (lost) throw await explainTaken(context, composition.object, "REL_OBJECT_LOST", lost);
}

/** A revision that an earlier object of the same name installed, as one of the object that takes it over. */
const ownedBy = (uid: string, revision: RecordedRevision): RecordedRevision => ({
  ...revision,
  labels: { ...revision.labels, [RELEASE_LABEL.composition]: uid },
});

/** Throws REL_OBJECT_TAKEN or REL_OBJECT_DELETING if another release has one of these by its record. */
async function assertFree({ context, composition, namespace, name: release }: Wanted, manifests: Resource[]) {
  const taken = await findTaken(context, { namespace, release, manifests, hasOwn: false });
  if (taken) throw await explainTaken(context, composition.object, "REL_OBJECT_TAKEN", taken);
}

/** Whether the object may have the release of an earlier one: also what it was installed with can be another's by now. */
async function assertTakeOver(wanted: Wanted, revisions: RecordedRevision[]): Promise<void> {
  await assertOwn(wanted);
  await assertFree(wanted, [...(await manifestsOf(currentRevisions(revisions))).values()]);
}

/**
 * The recorded revisions of the release, newest first. A release that this controller did not render is recorded as object and
 * chart render it now. Throws REL_RELEASE_FOREIGN, REL_OBJECT_TAKEN, REL_OBJECT_DELETING and REL_RENDER.
 */
export async function recordedRevisions(wanted: Wanted): Promise<RecordedRevision[]> {
  const { context, namespace, name, values, served } = wanted;
  const record = await context.records.read(namespace, name);
  if (record) {
    const isTakenOver = record.revisions[0]?.labels[RELEASE_LABEL.composition] !== wanted.uid;
    if (isTakenOver) await assertTakeOver(wanted, record.revisions);
    if (isTakenOver || record.lacksSizes === true)
      await context.records.change(namespace, name, (all) => all.map((one) => ownedBy(wanted.uid, one)));
    await restoreCopies(context, record);
    return record.revisions;
  }
  const [newest] = await listRevisions(context.tenant(namespace), namespace, name);
  if (newest === undefined) return [];
  await assertOwn(wanted);
  context.log.warn({ release: name, namespace }, "a release without a record is rendered again");
  const check = (manifests: Resource[]): Promise<void> => assertFree(wanted, manifests);
  return startRecord(context, { namespace, release: name, values, served, revision: newest.revision, check });
}

/**
 * The release of the newest revision, from the cache or its record; null if that revision is not deployed. A
 * deployed release is cached, so that its state can be reported after later failures. `revisions` newest first. Throws
 * REL_RELEASE_FOREIGN and REL_OBJECT_LOST if an upgrade would change resources of others.
 */
export async function currentRelease(wanted: Wanted, revisions: RecordedRevision[]): Promise<Release | null> {
  const { context, uid } = wanted;
  const known = context.releases.get(uid);
  const [last] = revisions;
  if (known === undefined || known.secret !== last?.secret) await assertOwn(wanted);
  const base = baseOf(revisions);
  const release = base ? await readBase(wanted, base, known) : null;
  if (!base || !release) return null;
  await assertHeld(wanted, release);
  if (base.status !== "deployed") return null;
  if (!known) context.releases.set(uid, unsettled(release));
  return base === last ? release : null;
}
