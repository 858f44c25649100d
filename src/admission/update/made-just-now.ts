import { ANNOTATION } from "../../model/names.ts";
import {
  type SignatureClaim,
  type VerifiedDecision,
  verifyDecision,
} from "../../model/decision-annotation/signature.ts";
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

const signedAt = (verified: VerifiedDecision | null): number =>
  verified === null || verified.signature.use === "legacy" ? 0 : verified.signature.at;

/** Whether the object has a decision that was made for this update, not earlier than the one that it replaces. */
export function isMadeFor(update: Update, { keys }: Pick<AdmissionContext, "keys">, since: number): boolean {
  const { object, oldObject } = update;
  const own = verifyDecision(keys, object);
  if (own === null || own.signature.use === "legacy" || !isForUpdate(own.signature, update)) return false;
  return (
    own.signature.at >= Math.max(since, signedAt(verifyDecision(keys, oldObject))) && stillHolds(object, own.decision)
  );
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
