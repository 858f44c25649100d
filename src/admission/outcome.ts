import type { KeyObject } from "node:crypto";
import type { Advise } from "../model/advice.ts";
import type { Decision, PatchOperation } from "../model/decision.ts";
import type { RelatedWorkloads } from "../model/cluster-data.ts";
import type { ForecastBook } from "../model/forecast.ts";
import type { NamespaceData } from "../model/kubernetes.ts";
import type { PlacedWorkload } from "../model/load.ts";
import type { Kind } from "../model/names.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import type { Together } from "./decide/batch.ts";
import type { WorkloadObject } from "../model/workload.ts";

/** What the edge hands over: an AdmissionRequest without its HTTP and JSON. */
export interface AdmissionRequest {
  uid: string;
  operation: "CREATE" | "UPDATE";
  kind: Kind;
  object: WorkloadObject;
  oldObject: WorkloadObject | null;
}

/** Everything that a decision needs from outside, gathered before it is made. */
export interface AdmissionContext {
  policy: LoadedBundle;
  namespace: NamespaceData;
  /** The cluster's other objects; null where nothing is known of them. */
  facts: RelatedWorkloads | null;
  /** The other objects that have a place; nothing where it is left out. Only asked where it matters. */
  placed?: () => Iterable<PlacedWorkload>;
  /** What is known of the coming hours; climatology alone where it is left out. */
  forecasts?: ForecastBook | null;
  /** Its part in a batch; placed alone where it is left out. */
  together?: Together;
  /** An external scheduler's say; the embedded one alone where it is left out. */
  advise?: Advise;
  /** Seconds since 1970. */
  nowSeconds: number;
  /** Secret of the seal; see seal.ts. */
  sealKey: KeyObject;
}

export interface Allowed {
  allowed: true;
  patch: PatchOperation[];
  warnings: string[];
  /** Null where the object needed no decision. */
  decision: Decision | null;
}

export interface Denied {
  allowed: false;
  /** What kubectl prints after the webhook's name. */
  message: string;
  codes: string[];
  decision: Decision | null;
}

export type Outcome = Allowed | Denied;

export const unchanged: Allowed = { allowed: true, patch: [], warnings: [], decision: null };
