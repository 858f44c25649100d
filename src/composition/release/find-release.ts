import { valuesIn } from "../helm/stored-release.ts";
import { listReleases, listRevisions, readValues } from "../helm/release-storage.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { FINALIZER, LABEL, RELEASE_LABEL } from "../keys.ts";
import { verifiedDecision } from "../../model/decision-annotation/signature.ts";
import type { Resource } from "../types.ts";
import { type Claim, claimOf, ownerIn, type ReleaseOwner } from "../record/release-owner.ts";

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

function judge({ object }: Composition, labels: Record<string, string>, values: Record<string, unknown>): Judged {
  const { uid = "", namespace = "", name = "" } = object.metadata;
  if (labels[RELEASE_LABEL.composition] === uid) {
    return { claim: "own", owner: { uid, kind: object.kind, namespace, name } };
  }
  const owner = ownerIn(values);
  return { claim: claimOf(owner, object), owner };
}

/**
 * The owner of a release by its newest revision: as recorded, otherwise as its copy says. A copy decides only which name the
 * release has in the object's own namespace; what it holds is never installed.
 */
export async function judgeRelease(
  context: CompositionContext,
  composition: Composition,
  release: string,
): Promise<Judged> {
  const { namespace = "" } = composition.object.metadata;
  const [recorded] = (await context.records.read(namespace, release))?.revisions ?? [];
  if (recorded) return judge(composition, recorded.labels, valuesIn(recorded.release));
  const tenant = context.tenant(namespace);
  const [newest] = await listRevisions(tenant, namespace, release);
  if (newest === undefined) return FREE;
  return judge(composition, newest.labels, await readValues(tenant, namespace, newest.secret));
}

/** `<name>-<8 characters>`, the characters from the uid: a composition that is created again gets a new release. */
export const releaseName = (name: string, uid: string): string => `${name}-${uid.replaceAll("-", "").slice(0, 8)}`;

/** The composition's release that no record names: from before the records, or a copy of one that was lost. */
async function findUnrecorded(context: CompositionContext, composition: Composition): Promise<string | null> {
  const { namespace = "", name = "", uid = "" } = composition.object.metadata;
  const derived = releaseName(name, uid);
  const { claim } = await judgeRelease(context, composition, derived);
  if (claim === "own") return derived;
  const [marked] = await listReleases(context.tenant(namespace), namespace, [RELEASE_LABEL.composition, uid]);
  return marked ?? null;
}

/**
 * The release that the object was decided to take over: it did not count besides the object. The label that said so then can have been
 * changed since, so that both would be installed. Null for none, and for one that is gone.
 */
async function findDecided(context: CompositionContext, composition: Composition): Promise<string | null> {
  const release = context.keys === null ? undefined : verifiedDecision(context.keys(), composition.object)?.takesOver;
  if (typeof release !== "string") return null;
  const { claim } = await judgeRelease(context, composition, release);
  return claim === "own" || claim === "namesake" ? release : null;
}

async function findLabelled(
  context: CompositionContext,
  composition: Composition,
  { label, recorded }: { label: string; recorded: string | null },
): Promise<FoundRelease> {
  if (label === recorded) return { own: recorded, labelled: null };
  if (label === "") return { own: recorded ?? (await findUnrecorded(context, composition)), labelled: null };
  const labelled = await judgeRelease(context, composition, label);
  if (recorded !== null) return { own: recorded, labelled };
  if (labelled.claim === "own") return { own: label, labelled };
  const own = await findUnrecorded(context, composition);
  return { own: own ?? (labelled.claim === "namesake" ? label : null), labelled };
}

/** Nothing is installed for a composition before it has both label and finalizer. */
const isUnadopted = ({ finalizers = [] }: Resource["metadata"], label: string): boolean =>
  label === "" && !finalizers.includes(FINALIZER);

/**
 * Finds the release that was installed for the composition: the one that Landfall's records name, or that it was decided to take over. Anyone
 * can write the label with its name, and its tenant the copies: these count only if neither says anything, and if they name the composition.
 */
export async function findRelease(context: CompositionContext, composition: Composition): Promise<FoundRelease> {
  const { metadata } = composition.object;
  const { uid = "", namespace = "" } = metadata;
  const known = context.releases.get(uid);
  if (known) return { own: known.name, labelled: null };
  const label = metadata.labels?.[LABEL.releaseName] ?? "";
  const isNew = isUnadopted(metadata, label);
  const recorded = isNew ? null : await context.records.find(namespace, uid);
  const named = recorded ?? (await findDecided(context, composition));
  return isNew ? { own: named, labelled: null } : findLabelled(context, composition, { label, recorded: named });
}
