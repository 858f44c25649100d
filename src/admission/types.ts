import type { Advice, SchedulerRequest } from "../model/advice.ts";
import type { Decision, PatchOperation } from "../model/decision.ts";
import type { RelatedWorkloads } from "../model/cluster-data.ts";
import type { ForecastBook } from "../model/places/forecast.ts";
import type { KeyRing } from "../model/decision-annotation/key-ring.ts";
import type { RunningSize } from "../model/decision-annotation/system-secrets.ts";
import type { DecisionOwners } from "../model/decision-annotation/standing.ts";
import type { NamespaceData } from "../model/kubernetes.ts";
import type { ObservedBoots } from "../model/places/boot-times.ts";
import type { PlacedWorkload } from "../model/places/load.ts";
import type { Kind } from "../model/names.ts";
import type { PlaceKey, WorkloadObject, WrittenField } from "../model/workload.ts";
import type { BatchItem } from "../placement/placement-request.ts";
import type { ScoredPlace } from "../placement/choose-placement.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";

/** A Kubernetes AdmissionRequest without its HTTP and JSON. */
export interface AdmissionRequest {
  uid: string;
  operation: "CREATE" | "UPDATE";
  kind: Kind;
  object: WorkloadObject;
  oldObject: WorkloadObject | null;
  /** The name of the user who asks; empty if the review has none. */
  user?: string;
  /** Nothing is stored. */
  dryRun?: boolean;
  /** No one authenticated the caller: what is signed is an offer, which a controller has to confirm. */
  provisional?: boolean;
  /** A controller confirms the object as it is stored: its decision is final. */
  confirms?: boolean;
  /** The command that was taken from the object, as it was written. */
  wish?: string;
}

/** All external data of a decision, collected before it is made. */
export interface DecisionContext {
  policy: LoadedBundle;
  namespace: NamespaceData;
  /** The cluster's other objects; null if nothing is known of them. */
  relatedWorkloads: RelatedWorkloads | null;
  /** The placed workloads, for budgets and tie-breaking; nothing if omitted. Called only if it matters. */
  placed?: () => Iterable<PlacedWorkload>;
  /** How long boots took in this cluster; only the catalog's figures if omitted. */
  boots?: ObservedBoots;
  /** The forecasts of the coming hours; climatology alone if omitted. */
  forecasts?: ForecastBook | null;
  /** The answer of an external scheduler; the embedded one chooses if omitted. */
  advice?: Advice | undefined;
  /** The place that a batch chose for the object; placed alone if null or omitted. */
  plan?: ScoredPlace | null | undefined;
  /** The answer that the decision may ask for before it is finished; none if omitted. */
  ask?: Ask | undefined;
  /** The sizes that releases of the object run, by Landfall's own records; none if omitted. */
  recorded?: readonly RunningSize[];
  /** Seconds since 1970. */
  nowSeconds: number;
  /** When the run was asked for, in seconds since 1970, if that was after the creation of its object. */
  askedAt?: number | undefined;
  /**
   * The time that this thread has computed for, in ms: limits the search for remedies. If it is omitted, only the number of
   * tries is limited, and the same request always gives the same remedy.
   */
  usedMs?: (() => number) | undefined;
}

/** Others that can take part in a decision: an external scheduler, or the objects that are admitted at the same moment. */
export type Ask = "advice" | "batch";

/** The size of what is installed, which counts. */
export interface InstalledSize {
  /** Of a cluster, the type of its first pool. */
  instanceType: string;
  vcpus: number;
  memoryGiB: number;
}

/** Everything that a decision depends on. */
export interface DecisionRequest extends DecisionContext {
  kind: Kind;
  object: WorkloadObject;
  operation: "CREATE" | "UPDATE";
  /** The machine runs already: its start is not decided. */
  started?: boolean;
  /** With `started`: what of it runs already, which budgets never deny. What is added to it is checked; nothing is, if omitted. */
  running?: readonly PlacedWorkload[];
  /** With `started`: what is installed. Quotas never deny it, and a machine counts no less than before for as long as it keeps its type. */
  installed?: InstalledSize;
  /** With `started`: it only waits for that start, and may be decided again until then. */
  pending?: boolean;
  /** Values of an earlier decision that stay fixed although the user did not set them. */
  pins?: Partial<Record<WrittenField, unknown>>;
  /** With `started`: the type of a machine that is changed in place, not created. */
  resizesFrom?: string;
  /** With `started`: the type of the nodes of each pool that is there, by the pool's name. A new pool has none. */
  installedPools?: Readonly<Record<string, string>>;
  /** Machine types that have no capacity now: another size of their series is wanted. */
  instead?: readonly string[];
  /** Places that have no machine now: another one is wanted. */
  elsewhere?: readonly PlaceKey[];
}

export interface NeedsAdvice {
  state: "needs advice";
  /** For an external scheduler. */
  request: SchedulerRequest;
}

export interface NeedsBatch {
  state: "needs a batch";
  item: BatchItem;
  /** How long it waits for others. */
  waitMs: number;
}

/** A decision that cannot be finished yet: make the same request with the answer to what it needs. */
export type Unfinished = NeedsAdvice | NeedsBatch;

export type DecisionStep = { state: "decided"; decision: Decision } | Unfinished;

export interface AdmissionContext extends DecisionContext {
  /** Keys of the decision's signature: model/decision-annotation/signature.ts. */
  keys: KeyRing;
  /** Which objects earlier decisions were made for. */
  owners: DecisionOwners;
  /** The release that the object's label names and that did not count besides it; null or omitted for none. */
  takesOver?: string | null;
  /** The reason in `landfall.dev/start-now` that was written for an earlier run of the object; empty or omitted for none. */
  pastReason?: string;
  /** The request that is answered: `admit` adds it. */
  request?: AdmissionRequest;
  /** Measures stages inside a decision; omitted if no one asks how long they take. */
  measure?: Measure | undefined;
}

/** Runs a stage, and notes how long it took. */
export type Measure = <T>(stage: "sign", work: () => T) => T;

export const unmeasured: Measure = (_stage, work) => work();

export interface Allowed {
  allowed: true;
  patch: PatchOperation[];
  warnings: string[];
  /** Null if the object needed no decision. */
  decision: Decision | null;
  /** The subject of the signature that the patch writes: a nonce, or the object's uid; omitted if it writes none. */
  signatureId?: string;
}

/** A cause of a Kubernetes Status: kubectl prints `field: message` for each. */
export interface Cause {
  reason: "FieldValueInvalid" | "FieldValueRequired";
  field: string;
  message: string;
}

export interface Denied {
  allowed: false;
  /** The text that kubectl prints after the webhook's name. */
  message: string;
  codes: string[];
  decision: Decision | null;
  /** If only the object itself is wrong: what is, by field. */
  causes?: Cause[];
  /** The team whose rules failed; omitted for none. */
  failedTeam?: string;
}

export type Outcome = Allowed | Denied;

export const unchanged: Allowed = { allowed: true, patch: [], warnings: [], decision: null };
