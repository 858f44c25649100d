import { ANNOTATION } from "../../model/names.ts";
import { signedAt, type SignatureClaim, verifyDecision } from "../../model/decision-annotation/signature.ts";
import { stillHolds } from "../../model/decision-annotation/still-holds.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import type { AdmissionContext } from "../types.ts";
import type { Update } from "./change.ts";

/** The API server calls again with the previous result if another webhook changed the object after this one. */
const ASKED_AGAIN_SECONDS = 30;

const annotation = (object: WorkloadObject, name: string): string | undefined => object.metadata.annotations?.[name];

/** Whether it is signed for an update of the object with this uid. */
function isForUpdate({ use, id }: SignatureClaim, { oldObject, dryRun }: Update): boolean {
  if (dryRun === true) return use === "preview";
  // Which object an offer is for, the controller's confirmation says.
  if (use === "offer") return true;
  const { uid } = oldObject.metadata;
  // Only objects outside a cluster have no uid.
  return uid === undefined ? use === "create" : use === "uid" && id === uid;
}

/**
 * Whether the object has a decision that was made for this update, later than the one that it replaces: an earlier one of the same second
 * was replaced, and what it takes may be given to others by now.
 */
export function isMadeFor(update: Update, { keys }: Pick<AdmissionContext, "keys">, since: number): boolean {
  const { object, oldObject } = update;
  const own = verifyDecision(keys, object);
  if (own === null || own.signature.use === "legacy" || !isForUpdate(own.signature, update)) return false;
  const { at } = own.signature;
  return at >= since && at > signedAt(verifyDecision(keys, oldObject)) && stillHolds(object, own.decision);
}

/**
 * Whether an earlier call for this same request made the decision on the object. Without this check, what it wrote would count
 * as the user's.
 */
export function madeJustNow(update: Update, context: AdmissionContext): boolean {
  const { object, oldObject } = update;
  const isNew = [ANNOTATION.decision, ANNOTATION.seal].some(
    (name) => annotation(object, name) !== annotation(oldObject, name),
  );
  return isNew && isMadeFor(update, context, context.nowSeconds - ASKED_AGAIN_SECONDS);
}
