import type { Revision } from "../helm/release-storage.ts";
import { listReleases, listRevisions, readValues } from "../helm/release-storage.ts";
import type { Composition, CompositionContext } from "../context.ts";
import { FINALIZER, LABEL, RELEASE_LABEL } from "../keys.ts";
import { releaseName } from "./release-name.ts";
import { type Claim, claimOf, ownerIn, type ReleaseOwner } from "./release-owner.ts";

/** The owner of one release name; `free` if no release has it. */
export interface Judged {
  claim: Claim | "free";
  owner: ReleaseOwner | null;
}

export interface FoundRelease {
  /** The release that was installed for the composition; null for none. */
  own: string | null;
  /** The release that the label names; null if there is no label, or if the cache already had the answer. */
  labelled: Judged | null;
}

const FREE: Judged = { claim: "free", owner: null };

/** The owner of a release by its newest revision: from this controller's label, else from its values. */
export async function judgeRelease(
  context: CompositionContext,
  { object }: Composition,
  newest: Revision | undefined,
): Promise<Judged> {
  if (newest === undefined) return FREE;
  const { uid = "", namespace = "", name = "" } = object.metadata;
  if (newest.labels[RELEASE_LABEL.composition] === uid) {
    return { claim: "own", owner: { uid, kind: object.kind, namespace, name } };
  }
  const owner = ownerIn(await readValues(context.client, namespace, newest.secret));
  return { claim: claimOf(owner, object), owner };
}

async function judgeName(context: CompositionContext, composition: Composition, release: string): Promise<Judged> {
  const { namespace = "" } = composition.object.metadata;
  const [newest] = await listRevisions(context.client, namespace, release);
  return judgeRelease(context, composition, newest);
}

/** The composition's release, without its label. */
async function findByUid(context: CompositionContext, composition: Composition): Promise<string | null> {
  const { namespace = "", name = "", uid = "" } = composition.object.metadata;
  const [marked] = await listReleases(context.client, namespace, [RELEASE_LABEL.composition, uid]);
  if (marked !== undefined) return marked;
  const derived = releaseName(name, uid);
  const { claim } = await judgeName(context, composition, derived);
  return claim === "own" ? derived : null;
}

async function findLabelled(
  context: CompositionContext,
  composition: Composition,
  label: string,
): Promise<FoundRelease> {
  const labelled = await judgeName(context, composition, label);
  if (labelled.claim === "own") return { own: label, labelled };
  const own = await findByUid(context, composition);
  return { own: own ?? (labelled.claim === "namesake" ? label : null), labelled };
}

/**
 * Finds the release that was installed for the composition. Anyone can write the label with its name, so the label counts
 * only if the release itself names the same composition.
 */
export async function findRelease(context: CompositionContext, composition: Composition): Promise<FoundRelease> {
  const { metadata } = composition.object;
  const known = context.releases.get(metadata.uid ?? "");
  if (known) return { own: known.name, labelled: null };
  const label = metadata.labels?.[LABEL.releaseName] ?? "";
  if (label !== "") return findLabelled(context, composition, label);
  // Nothing is installed for a composition before it has both label and finalizer.
  const adopted = metadata.finalizers?.includes(FINALIZER) === true;
  return { own: adopted ? await findByUid(context, composition) : null, labelled: null };
}
