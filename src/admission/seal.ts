import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { ANNOTATION } from "../model/names.ts";
import type { CompactDecision } from "./compact-decision.ts";
import { readCompactDecision } from "./compact-decision.ts";
import type { WorkloadObject } from "./workload-object.ts";

/** Proves that this webhook wrote a decision, for an object of this kind in this namespace. */
export function sealDecision(key: KeyObject, object: WorkloadObject, compact: string): string {
  const bound = [object.kind, object.metadata.namespace ?? "default", compact].join("\n");
  return createHmac("sha256", key).update(bound).digest("base64url").slice(0, 22);
}

/** The decision on the object, if Landfall wrote it; null where there is none or its seal is not ours. */
export function sealedDecision(key: KeyObject, object: WorkloadObject): CompactDecision | null {
  const annotations = object.metadata.annotations ?? {};
  const compact = annotations[ANNOTATION.decision];
  const seal = annotations[ANNOTATION.seal];
  if (compact === undefined || seal === undefined) return null;
  const expected = Buffer.from(sealDecision(key, object, compact));
  const actual = Buffer.from(seal);
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return null;
  return readCompactDecision(compact);
}
