import type { Decision } from "../model/decision.ts";
import type { KubernetesObject, NamespaceData } from "../model/kubernetes.ts";

/** A decision on one request. */
export interface Decided {
  /** Of the AdmissionReview. */
  uid: string;
  operation: string;
  dryRun: boolean;
  object: KubernetesObject;
  namespace: NamespaceData;
  /** The decision's time, in seconds since 1970. */
  nowSeconds: number;
  /** Null if the object was denied before the policies were evaluated. */
  decision: Decision | null;
  /** Codes of the denials in order; empty if the object is allowed. */
  codes: readonly string[];
  bundle: { digest: string; revision: string };
  /** The other bundles that decided. */
  others: readonly { name: string; digest: string; revision: string }[];
  milliseconds: number;
}

/** An event in the format of OPA's decision log (https://www.openpolicyagent.org/docs/latest/management-decision-logs/). */
export interface DecisionEvent {
  labels: Record<string, string>;
  decision_id: string;
  bundles: Record<string, { revision: string; digest: string }>;
  path: string;
  input: Record<string, unknown>;
  result: unknown;
  timestamp: string;
  metrics: Record<string, number>;
  /** JSON pointers of removed values. */
  erased?: string[];
}

function bundlesOf({ bundle, others }: Decided): DecisionEvent["bundles"] {
  const named = [{ name: "landfall", ...bundle }, ...others];
  return Object.fromEntries(named.map(({ name, revision, digest }) => [name, { revision, digest }]));
}

/** One decision as an event, not yet masked. Pure. */
export function buildEvent(decided: Decided, labels: Record<string, string>): DecisionEvent {
  const { uid, operation, dryRun, object, namespace, nowSeconds, decision, codes, milliseconds } = decided;
  return {
    labels,
    decision_id: `${decision?.id ?? "refused"}-${uid}`,
    bundles: bundlesOf(decided),
    path: "landfall/main/result",
    input: { request: { uid, operation, dryRun }, object, namespace, now: nowSeconds },
    result: decision ?? { allowed: codes.length === 0, codes },
    timestamp: new Date(nowSeconds * 1000).toISOString(),
    metrics: { timer_server_handler_ns: Math.round(milliseconds * 1e6) },
  };
}
