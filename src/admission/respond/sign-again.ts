import type { SignatureClaim } from "../../model/decision-annotation/signature-text.ts";
import { signDecision, type VerifiedDecision } from "../../model/decision-annotation/signature.ts";
import { specStanding } from "../../model/decision-annotation/signed-spec.ts";
import { ANNOTATION } from "../../model/names.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import type { AdmissionContext, AdmissionRequest } from "../types.ts";
import { claimOf } from "./claim-of.ts";

export interface SignAgain {
  context: AdmissionContext;
  request: AdmissionRequest;
  /** The object as the patch leaves its spec. */
  object: WorkloadObject;
  /** The decision that stays, as text and as it was verified. */
  compact: string;
  verified: VerifiedDecision;
  /** Whether the decision is known to be the object's own: a uid, a binding or a record says so. */
  isOwn: boolean;
  /** Whether `compact` is not the text that was verified. */
  isChanged?: boolean;
}

/** A decision that may be another object's stays signed for what it was signed for: signing it again makes no copy an original. */
function claimAgain({ context, request, object, compact, verified, isOwn }: SignAgain): SignatureClaim {
  const { signature } = verified;
  const staysAsItIs = signature.use !== "legacy" && request.dryRun !== true && request.provisional !== true;
  if (staysAsItIs && !isOwn) return signature;
  return claimOf({ keys: context.keys, request, object, compact, nowSeconds: context.nowSeconds });
}

/** A signature as an annotation, and what it is for: a nonce, or the object's uid. */
export interface SignedAgain {
  annotations: Record<string, string>;
  id: string;
}

/** Signs a decision with the spec that was accepted just now; null if the present signature covers this spec. */
export function signAgain(again: SignAgain): SignedAgain | null {
  const { context, object, compact, verified, isChanged = false } = again;
  if (!isChanged && specStanding(verified, object) === "accepted") return null;
  const claim = claimAgain(again);
  return { annotations: { [ANNOTATION.seal]: signDecision(context.keys, object, compact, claim) }, id: claim.id };
}
