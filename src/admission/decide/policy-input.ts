import type { RelatedWorkloads } from "../../model/cluster-data.ts";
import type { NamespaceData } from "../../model/kubernetes.ts";
import { describing } from "../../model/decision-annotation/strip-decision.ts";
import type { PolicyInput } from "../../model/policy.ts";
import { formatTime, HOUR_SECONDS } from "../../model/time.ts";
import type { WorkloadObject, WorkloadRequest } from "../../model/workload.ts";

/** UTC calendar parts for rules about office hours, because the WASM runtime has no calendar. */
function clockOf(nowSeconds: number): PolicyInput["clock"] {
  const date = new Date(nowSeconds * 1000);
  return {
    weekday: (date.getUTCDay() + 6) % 7,
    hour: Math.floor((nowSeconds % (24 * HOUR_SECONDS)) / HOUR_SECONDS),
    month: date.getUTCMonth() + 1,
    time: formatTime(nowSeconds),
  };
}

/** The spec without secret or large fields; a rule can still see that user data exists. */
function publicSpec(spec: Record<string, unknown>): Record<string, unknown> {
  const { global, userData, ...rest } = spec;
  return typeof userData === "string" ? { ...rest, userData: `(${String(userData.length)} characters)` } : rest;
}

export interface PolicyInputParts {
  object: WorkloadObject;
  request: WorkloadRequest;
  operation: "CREATE" | "UPDATE";
  namespace: NamespaceData;
  nowSeconds: number;
  relatedWorkloads: RelatedWorkloads | null;
}

/** The input of the policy's entrypoint for this object. */
export function policyInput({
  object,
  request,
  operation,
  namespace,
  nowSeconds,
  relatedWorkloads,
}: PolicyInputParts): PolicyInput {
  return {
    request,
    spec: publicSpec(object.spec ?? {}),
    metadata: {
      name: request.name,
      namespace: request.namespace,
      labels: object.metadata.labels ?? {},
      annotations: describing(object.metadata.annotations),
    },
    operation,
    namespace,
    now: nowSeconds,
    clock: clockOf(nowSeconds),
    facts: relatedWorkloads,
  };
}
