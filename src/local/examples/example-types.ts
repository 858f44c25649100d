import type { CompactDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";

/** An object of examples/ and what it has to end as. */
export interface Example {
  file: string;
  object: KubernetesObject;
  /** Alternatives: `Ready`, `Scheduled`, `Denied: CODE`, `Failed: REASON`. */
  expected: string[];
}

/** One provider resource of an object. */
export interface ExampleResource {
  apiVersion: string;
  kind: string;
  name: string;
  ready: boolean;
}

/** How an example ended: an entry of `.landfall/status.json`. */
export interface ExampleResult {
  file: string;
  kind: string;
  name: string;
  namespace: string;
  expected: string;
  /** `Pending: …` when it did not settle in time. */
  outcome: string;
  /** Null for a denied object, which is not kept. */
  decision: CompactDecision | null;
  resources: ExampleResource[];
  /** What a denial or a failure said. */
  message: string | null;
  /** From being applied to being settled. */
  seconds: number;
}

/** `metadata.annotations` key of what an example has to end as. */
export const EXPECT = "example.landfall.dev/expect";
