import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import type { SignatureClaim } from "../../model/decision-annotation/signature-text.ts";
import { nonceFor } from "../../model/decision-annotation/signature.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import type { AdmissionRequest } from "../types.ts";

export interface Claimed {
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
 * What a decision is signed for. An update knows the object's uid. A creation does not: its nonce, which is the same if the same
 * request is answered again, is bound to the uid later. A dry run's decision is of no use for an object that is stored, and an offer of
 * none that is installed.
 */
export function claimOf(claimed: Claimed): SignatureClaim {
  const { request, nowSeconds: at } = claimed;
  if (request === null || request.dryRun === true) return { use: "preview", at, id: nonceOf(claimed) };
  if (request.provisional === true) return { use: "offer", at, id: nonceOf(claimed) };
  const uid = request.oldObject?.metadata.uid;
  return uid === undefined ? { use: "create", at, id: nonceOf(claimed) } : { use: "uid", at, id: uid };
}
