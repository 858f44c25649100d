import jsonPatch, { type Operation } from "fast-json-patch";
import type { WorkloadObject } from "../../model/workload.ts";
import { writeDecision } from "../../admission/respond/write-decision.ts";
import { ringOf } from "../../model/decision-annotation/key-ring.ts";
import type { Decision } from "../../model/decision.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import { type Kind } from "../../model/names.ts";

/** A preview's signature is never verified. */
const PREVIEW_KEYS = ringOf(Buffer.alloc(32));

/** The object as the API server would store it after this decision. */
export function applyDecision(object: WorkloadObject, decision: Decision, nowSeconds: number): WorkloadObject {
  const outcome = writeDecision({ object, decision, keys: PREVIEW_KEYS, request: null, nowSeconds, texts: null });
  if (!outcome.allowed) return object;
  const patched: unknown = jsonPatch.applyPatch(jsonPatch.deepClone(object), outcome.patch as Operation[]).newDocument;
  return patched as WorkloadObject;
}

export type RenderChart = (kind: Kind, object: WorkloadObject) => Promise<KubernetesObject[]>;

export interface Plan {
  decision: Decision;
  manifests: KubernetesObject[];
}

/** The manifests of an admitted object from its kind's chart; none for a denied one. */
export async function planObject(
  object: WorkloadObject,
  decision: Decision,
  nowSeconds: number,
  render: RenderChart,
): Promise<Plan> {
  if (!decision.allowed) return { decision, manifests: [] };
  // Only our own kinds are decided.
  return { decision, manifests: await render(object.kind as Kind, applyDecision(object, decision, nowSeconds)) };
}
