import {
  nonceFor,
  type SignatureClaim,
  signDecision,
  signingTime,
  type VerifiedDecision,
} from "../../model/decision-annotation/signature.ts";
import { specStanding } from "../../model/decision-annotation/still-holds.ts";
import { ANNOTATION } from "../../model/names.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import { type AdmissionContext, type AdmissionRequest, unmeasured } from "../types.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";

interface Claimed {
  keys: KeyRing;
  /** The request that is answered; null for a preview. */
  request: AdmissionRequest | null;
  object: WorkloadObject;
  /** The decision. */
  compact: string;
  /** Seconds since 1970. */
  nowSeconds: number;
}

function nonceOf({ keys, request, object: { kind, metadata }, compact, nowSeconds }: Claimed): string {
  const { name = "", generateName = "", namespace = "default" } = metadata;
  return nonceFor(keys, [request?.uid ?? "", kind, namespace, name, generateName, String(nowSeconds), compact]);
}

/**
 * The subject of a decision's signature. An update knows the object's uid. A creation does not: its nonce, which is the same if the same
 * request is answered again, is bound to the uid later. A dry run's decision is useless for an object that is stored, and an offer for
 * none that is installed.
 */
export function claimOf(claimed: Claimed): SignatureClaim {
  const { keys, request, nowSeconds } = claimed;
  const at = signingTime(keys, request?.oldObject ?? null, nowSeconds);
  if (request === null || request.dryRun === true) return { use: "preview", at, id: nonceOf(claimed) };
  if (request.provisional === true) return { use: "offer", at, id: nonceOf(claimed) };
  const uid = request.oldObject?.metadata.uid;
  return uid === undefined ? { use: "create", at, id: nonceOf(claimed) } : { use: "uid", at, id: uid };
}

interface SignAgain {
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
interface SignedAgain {
  annotations: Record<string, string>;
  id: string;
}

/** Signs a decision with the spec that was accepted just now; null if the present signature covers this spec. */
export function signAgain(again: SignAgain): SignedAgain | null {
  const { context, object, compact, verified, isChanged = false } = again;
  if (!isChanged && specStanding(verified, object) === "accepted") return null;
  const { keys, measure = unmeasured } = context;
  return measure("sign", () => {
    const claim = claimAgain(again);
    return { annotations: { [ANNOTATION.seal]: signDecision(keys, object, compact, claim) }, id: claim.id };
  });
}
