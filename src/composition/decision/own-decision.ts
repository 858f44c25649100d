import type { VerifiedDecision } from "../../model/decision-annotation/signature.ts";
import { standingOf } from "../../model/decision-annotation/standing.ts";
import { parseTime } from "../../model/time.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { LABEL } from "../keys.ts";
import { claimOf, ownerIn, placeIn } from "../record/release-owner.ts";
import type { Resource } from "../types.ts";
import { placeName } from "../../model/workload.ts";

/** Whether the release of the object is recorded, in the decided place. If the decision is another object's, it was restored from a backup. */
export async function isInstalled(context: CompositionContext, object: Resource, { decision }: VerifiedDecision) {
  const { namespace = "", labels = {} } = object.metadata;
  const record = await context.records.read(namespace, labels[LABEL.releaseName] ?? "");
  const [newest] = record?.revisions ?? [];
  if (newest === undefined) return false;
  const values = valuesIn(newest.release);
  return claimOf(ownerIn(values), object) !== "foreign" && placeIn(values) === placeName(decision.placement);
}

/** Whether the object is old enough to have a decision of a version that signed neither a nonce nor a uid. */
async function isFromBefore({ bindings }: CompositionContext, { metadata }: Resource): Promise<boolean> {
  const created = parseTime(metadata.creationTimestamp ?? "") ?? Infinity;
  return created <= (await bindings.legacyUntil());
}

async function mayBind(
  context: CompositionContext,
  object: Resource,
  { signature }: VerifiedDecision,
): Promise<boolean> {
  return signature.use !== "legacy" || (await isFromBefore(context, object));
}

/**
 * Whether the decision was made for this object. The first object with a decision that names no uid keeps it, if it was
 * created when the decision was signed. A restored object takes over the decision of the one that it replaces.
 */
export async function isOwnDecision(context: CompositionContext, object: Resource, verified: VerifiedDecision) {
  const { bindings } = context;
  const { signature } = verified;
  const { uid = "" } = object.metadata;
  if (signature.use === "uid" && signature.id === uid) return true;
  const standing = standingOf(verified, object.metadata, await bindings.ownerOf(signature.id));
  if (standing === "own") return true;
  if (standing === "unbound" && (await mayBind(context, object, verified)))
    if ((await bindings.bind({ id: signature.id, uid })) === uid) return true;
  if (signature.use === "preview" || !(await isInstalled(context, object, verified))) return false;
  await bindings.rebind({ id: signature.id, uid });
  return true;
}
