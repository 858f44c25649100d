import type { ExistingWorkload } from "../model/cluster-data.ts";
import type { KeyRing } from "../model/decision-annotation/key-ring.ts";
import { verifyDecision } from "../model/decision-annotation/signature.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import type { Kind } from "../model/names.ts";
import { readWorkload } from "../model/read-workload.ts";

/** The data of an object of the cluster. A decision without a valid signature lowers no price, and is marked: its key was lost, or it is forged. */
export function readDecided(keys: KeyRing, kind: Kind, object: KubernetesObject): ExistingWorkload {
  const workload = readWorkload(kind, object);
  const { pricePerHour, place } = workload;
  if ((place === null && pricePerHour === null) || verifyDecision(keys, object) !== null) return workload;
  return { ...workload, pricePerHour: pricePerHour === null ? null : Math.max(0, pricePerHour), unverified: true };
}
