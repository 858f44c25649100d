import { LandfallError } from "../../errors.ts";
import type { TakenObject } from "../helm/read-conflict.ts";
import { listRevisions, readValues } from "../helm/release-storage.ts";
import { valuesIn } from "../helm/stored-release.ts";
import type { Resource } from "../types.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { claimOf, describeOwner, ownerIn, type ReleaseOwner } from "../record/release-owner.ts";

type Holder = NonNullable<TakenObject["holder"]>;

async function ownerOf(
  { records, tenant }: CompositionContext,
  holder: TakenObject["holder"],
  namespace: string,
): Promise<ReleaseOwner | null> {
  if (holder === null || holder.namespace !== namespace) return null;
  const [recorded] = (await records.read(namespace, holder.release))?.revisions ?? [];
  if (recorded) return ownerIn(valuesIn(recorded.release));
  const [newest] = await listRevisions(tenant(namespace), namespace, holder.release);
  return newest ? ownerIn(await readValues(tenant(namespace), namespace, newest.secret)) : null;
}

/** The removal of the holder of a resource in the same namespace. */
const removalOf = async ({ removals }: CompositionContext, { release, namespace }: Holder) =>
  (await removals.list()).find((one) => one.release === release && one.namespace === namespace);

function describeHolder(holder: TakenObject["holder"], owner: ReleaseOwner | null, namespace: string): string {
  if (holder === null) return "no Helm release: something else created it";
  // Names of other namespaces are not for this one's tenants.
  if (holder.namespace !== namespace) return "a Helm release of another namespace";
  const release = `helm's release ${holder.namespace}/${holder.release}`;
  return owner === null ? release : `${describeOwner(owner)} (${release})`;
}

/**
 * Names the owner of a resource: REL_OBJECT_DELETING if it goes with an object that was deleted, REL_OBJECT_TAKEN if the composition's release never had it, REL_OBJECT_ORPHANED if it
 * belongs to a release that an earlier object of the same name left, REL_OBJECT_LOST if the release had it.
 */
export async function explainTaken(
  context: CompositionContext,
  composition: Resource,
  code: "REL_OBJECT_TAKEN" | "REL_OBJECT_LOST",
  { kind, name, holder }: TakenObject,
): Promise<LandfallError> {
  const { namespace = "" } = composition.metadata;
  const removal = holder === null || code === "REL_OBJECT_LOST" ? undefined : await removalOf(context, holder);
  if (removal !== undefined) {
    return new LandfallError("REL_OBJECT_DELETING", { kind, name, holder: describeOwner(removal) });
  }
  const owner = await ownerOf(context, holder, namespace);
  const left = holder !== null && claimOf(owner, composition) === "namesake";
  if (left && code === "REL_OBJECT_TAKEN") {
    return new LandfallError("REL_OBJECT_ORPHANED", { kind, name, release: holder.release });
  }
  return new LandfallError(code, { kind, name, holder: describeHolder(holder, owner, namespace) });
}
