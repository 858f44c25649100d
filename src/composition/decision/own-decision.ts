import { type VerifiedDecision, verifyDecision } from "../../model/decision-annotation/signature.ts";
import { isKind } from "../../model/names.ts";
import { isReplaced, type Standing, standingOf } from "../../model/decision-annotation/standing.ts";
import { parseTime } from "../../model/time.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { LABEL } from "../keys.ts";
import { claimOf, ownerIn, placeIn } from "../record/release-owner.ts";
import type { Resource } from "../types.ts";
import { isCreatedInEmergency } from "./emergency.ts";
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

/** Admission decides no object of an emergency: a decision that is still free then was signed for one that is gone. */
async function mayBind(
  context: CompositionContext,
  object: Resource,
  { signature }: VerifiedDecision,
): Promise<boolean> {
  if (await isCreatedInEmergency(context, object)) return false;
  return signature.use !== "legacy" || (await isFromBefore(context, object));
}

/**
 * Whether the decision was made for this object. The first object with a decision that names no uid keeps it, if it was
 * created when the decision was signed. A restored object takes over the decision of the one that it replaces. A decision that a later one
 * replaced is no longer the object's.
 */
export async function isOwnDecision(context: CompositionContext, object: Resource, verified: VerifiedDecision) {
  const latest = await context.bindings.latestOf(object.metadata.uid ?? "");
  return !isReplaced(verified, latest) && (await wasMadeFor(context, object, verified));
}

/** Whose decision it is, as far as it is known. Binds nothing. */
export async function standingFor(
  context: CompositionContext,
  object: Resource,
  verified: VerifiedDecision,
): Promise<Standing> {
  const { signature } = verified;
  if (signature.use === "uid" && signature.id === (object.metadata.uid ?? "")) return "own";
  const standing = standingOf(verified, object.metadata, await context.bindings.ownerOf(signature.id));
  return standing === "unbound" && !(await mayBind(context, object, verified)) ? "foreign" : standing;
}

async function wasMadeFor(context: CompositionContext, object: Resource, verified: VerifiedDecision): Promise<boolean> {
  const { bindings } = context;
  const { signature } = verified;
  const { uid = "" } = object.metadata;
  const standing = await standingFor(context, object, verified);
  if (standing === "own") return true;
  if (standing === "unbound" && (await bindings.bind({ id: signature.id, uid })) === uid) return true;
  if (signature.use === "preview" || !(await isInstalled(context, object, verified))) return false;
  await bindings.rebind({ id: signature.id, uid });
  return true;
}

/** Binds the decision of a creation to the first object that has it. Without an owner, a copy of it would count once that one is deleted. */
async function bindCreation(context: CompositionContext, object: Resource, verified: VerifiedDecision): Promise<void> {
  const { uid = "" } = object.metadata;
  const { id, use } = verified.signature;
  if (use !== "create" || (await standingFor(context, object, verified)) !== "unbound") return;
  await context.bindings.bind({ id, uid });
}

/**
 * Remembers whose decision an object has that is seen, and when its latest one was signed, also while it waits or is paused: nothing else
 * tells later which object a decision was made for, and which of two is the earlier one. To be called with every version of an object.
 */
export async function noteDecision(context: CompositionContext, object: Resource): Promise<void> {
  const { keys, bindings } = context;
  const { uid } = object.metadata;
  const verified = keys === null || !isKind(object.kind) ? null : verifyDecision(keys(), object);
  if (uid === undefined || verified === null) return;
  await bindCreation(context, object, verified);
  if (verified.signature.use === "uid" && verified.signature.id === uid)
    await bindings.note(uid, verified.signature.at);
}
