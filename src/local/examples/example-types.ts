import type { CompactDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";

/** An object of examples/ and its expected outcome. */
export interface Example {
  file: string;
  object: KubernetesObject;
  /** Alternatives: `Ready`, `Scheduled`, `Completed`, `Deleted` (completed, and nothing is left), `Denied: CODE`, `Failed: REASON`. */
  expected: string[];
  /** Reasons of Events that it has to have at its end. */
  events: string[];
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
  /** `Pending: …` if it did not settle in time. */
  outcome: string;
  /** Null for a denied object, which does not exist. */
  decision: CompactDecision | null;
  resources: ExampleResource[];
  /** The message of a denial or a failure. */
  message: string | null;
  /** From apply to outcome. */
  seconds: number;
}

/** `metadata.annotations` key of the expected outcome of an example. */
export const EXPECT = "example.landfall.dev/expect";
/** `metadata.annotations` key of the reasons of Events that an example has to have at its end. */
export const EVENTS = "example.landfall.dev/events";
