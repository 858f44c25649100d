import type { ExistingWorkload } from "../model/cluster-data.ts";
import type { KeyRing } from "../model/decision-annotation/key-ring.ts";
import { type VerifiedDecision, verifyDecision } from "../model/decision-annotation/signature.ts";
import { specStanding, stillHolds } from "../model/decision-annotation/still-holds.ts";
import { standingOf } from "../model/decision-annotation/standing.ts";
import type { Kind } from "../model/names.ts";
import { readWorkload, sizeOf } from "../model/read-workload.ts";
import type { WorkloadObject } from "../model/workload.ts";

/** Whether the decision was made for this spec. Signatures of earlier forms do not cover it, but their decisions name its inputs. */
function isForSpec(verified: VerifiedDecision, object: WorkloadObject): boolean {
  const standing = specStanding(verified, object);
  return standing === "unknown" ? stillHolds(object, verified.decision) : standing === "accepted";
}

/** The object's own statement about whose decision it has. No webhook checks an object that is being deleted. */
function doubtOf(verified: VerifiedDecision, { metadata }: WorkloadObject): Pick<ExistingWorkload, "standing"> {
  const standing = standingOf(verified, metadata, null);
  if (standing === "own") return {};
  return standing === "foreign" || metadata.deletionTimestamp !== undefined ? { standing } : {};
}

/** Anyone can write the id of a signature, so it counts only if the signature is valid. */
function withId({ decisionId: _, ...told }: ExistingWorkload, verified: VerifiedDecision | null): ExistingWorkload {
  return verified === null ? told : { ...told, decisionId: verified.signature.id };
}

/** An object of the cluster. */
export interface ReadObject {
  workload: ExistingWorkload;
  /**
   * Its decision is an offer, which counts only once it is confirmed: offers that exceed a budget together must not block each other. The
   * object exists nevertheless.
   */
  isOffer: boolean;
}

/**
 * The data of an object of the cluster. A decision without a valid signature, or for another spec, gives no size, lowers no price, and is
 * marked: its key was lost, it is forged, or admission did not accept what the object asks.
 */
export function readDecided(keys: KeyRing, kind: Kind, object: WorkloadObject): ReadObject {
  const verified = verifyDecision(keys, object);
  const workload = withId(readWorkload(kind, object), verified);
  const { pricePerHour, place } = workload;
  const isOffer = verified?.signature.use === "offer";
  if (isOffer || (place === null && pricePerHour === null)) return { workload, isOffer };
  if (verified !== null && verified.signature.use !== "preview" && isForSpec(verified, object))
    return { workload: { ...workload, ...doubtOf(verified, object) }, isOffer };
  const asked = sizeOf(kind, object.spec ?? {});
  const price = pricePerHour === null ? null : Math.max(0, pricePerHour);
  return { workload: { ...workload, ...asked, pricePerHour: price, unverified: true }, isOffer };
}
