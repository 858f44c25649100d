import type { KubernetesObject, ObjectMeta } from "../../model/kubernetes.ts";

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
}

/** A provider resource on the API server. */
export interface Resource extends KubernetesObject {
  metadata: ObjectMeta & { name: string; namespace: string; uid: string; ownerReferences?: OwnerReference[] };
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** Another resource that has to be ready first. */
export interface Reference {
  group: string;
  kind: string;
  namespace: string;
  name: string;
  /** Whether the resource is deleted with the other one. */
  owner: boolean;
  /** Whether its operator does not wait for the other one, which it names as the provider does. */
  loose?: boolean;
}

/** A resource that stays at the provider when its object goes: who still has it, and the annotations that say so there. */
export interface Left {
  /** Null: that object is gone, too. */
  holder: Resource | null;
  annotations: Readonly<Record<string, string>>;
}

/** Why a provider refuses a resource, as its API reports it. */
export interface Refusal {
  code: string;
  message: string;
  /** False: the operator keeps trying. */
  terminal: boolean;
  /** The fields of status that show what the operator changed before the refusal; none if omitted. */
  leaves?: Readonly<Record<string, unknown>>;
  /** That the provider made the resource first, and refused the next call: its id is in the status. */
  isMade?: boolean;
  /** That the provider made the resource first, and its operator forgets the id. */
  isLost?: boolean;
}

/** Causes of a refusal: a tag that requests it, or the rules of the provider. */
export type RefusalKind =
  | "quota-exceeded"
  | "no-capacity"
  | "bad-image"
  | "not-offered"
  | "immutable"
  | "missing-field";

/** The phase of a resource. */
export type Phase =
  /** `claimed`: its operator has begun with the other resource, which is not there yet. */
  | { name: "waiting"; reference: Reference; exists: boolean; claimed: boolean }
  | { name: "deleting" }
  | { name: "creating" }
  | { name: "updating" }
  /** `attempt`: how often it was refused before. */
  | { name: "refused"; refusal: Refusal; attempt?: number }
  | { name: "blocked"; by: string }
  | { name: "ready" };

/** Finds another resource; undefined if it does not exist. */
export type Lookup = (reference: Omit<Reference, "owner">) => Resource | undefined;

/** The checks of the provider's API before it creates a machine. */
export interface Machine {
  place: string | null;
  /** Omitted where the machine's resource does not name it. */
  zone?: string | null;
  instanceType: string | null;
  /** False if the image does not have the format of the provider. */
  imageExists: boolean;
}

export interface SecretData {
  name: string;
  key: string;
  value: string;
}

/** Pauses between the attempts of an operator: they double from the first to the longest, in seconds. */
export interface Backoff {
  firstSeconds: number;
  longestSeconds: number;
}

/** A machine that ends or is ended by hand: when, and what its operator shows of it once it looks. */
export interface Shutdown {
  /** From the moment at which it was ready, at speed 1. */
  seconds: number;
  status: Record<string, unknown>;
  /** That the operator creates it again, and the provider's refusal of that; null for none. */
  again?: { refusal: Refusal | null };
}

export interface KindRule {
  group: string;
  kind: string;
  /** How long it takes at speed 1. */
  seconds: number;
  /** How long a change takes at any speed, where conditions have to show it: their times have whole seconds, and it takes minutes. */
  leastUpdateMs?: number;
  /** Dotted paths under spec that the provider's API wants and that the small CRDs perhaps do not require. */
  required: readonly string[];
  /** Dotted paths under spec that the provider does not change once the resource exists. */
  immutable: readonly string[];
  /** The machine's region, zone and type, for kinds that are machines. */
  machine?: (resource: Resource, lookup: Lookup) => Machine;
  /** Whether the machine is not started again by this spec: it is created, or off. Omitted for operators that start none. */
  isFirst?: (resource: Resource) => boolean;
  /** A Secret that the operator writes once the resource is ready; null if the resource asks for none. */
  secret?: (resource: Resource) => SecretData | null;
  /** Fields of spec of which a change asks nothing of the provider: the operator ignores it. */
  ignored?: readonly string[];
  /** The refusal of the operator or its provider besides the required and immutable fields; null for nothing. `dependents` refer to it. */
  refuses?: (resource: Resource, lookup: Lookup, dependents?: readonly Resource[]) => Refusal | null;
  /** Path under spec of what the provider remembers: the version that runs, a machine's type, a disk's size. */
  version?: string;
  /** More that the provider has by this spec and remembers, by the annotation that stands for it; null for none. */
  remembers?: (resource: Resource) => Readonly<Record<string, string | null>>;
  /** Whether the operator never finishes with this spec: it sends the same update at each look, and nothing after it. */
  endless?: (resource: Resource) => boolean;
  /** The merge patch that the operator writes into the spec once it has created the resource; null if it is written. */
  writeBack?: (resource: Resource) => Record<string, unknown> | null;
  /** Whether it is deleted although others use it. */
  goesInUse?: boolean;
  /** Whether its operator does not find it when it is to be deleted, so that it stays at the provider; null if it is deleted. */
  leaves?: (resource: Resource, lookup: Lookup) => Left | null;
  /** Who has it at its provider once its operator has given it up with its creation. */
  staysAt?: (resource: Resource, lookup: Lookup) => Left;
  /** The part that the provider has, besides other resources, and that keeps it from being deleted; null for none. */
  heldBy?: (resource: Resource) => string | null;
  /** How this machine ends without a request; null if it runs on. */
  shutdown?: (resource: Resource) => Shutdown | null;
  /** The provider's own fields of status once the resource is ready. */
  status: (resource: Resource, lookup: Lookup) => Record<string, unknown>;
}

/** How one operator behaves: its kinds, its references, its conditions. */
export interface Family {
  name: string;
  groups: readonly string[];
  kinds: readonly KindRule[];
  finalizer: string;
  /** Finalizers besides it. */
  moreFinalizers?: readonly string[];
  /** Whether the operator says that it deletes the resource. */
  tellsDeletion?: boolean;
  /** Children carry an ownerReference, so that the garbage collector deletes them with their owner. */
  adoptsChildren: boolean;
  references: (resource: Resource, rule: KindRule) => Reference[];
  refusal: (kind: RefusalKind, resource: Resource, detail: string) => Refusal;
  /** The conditions (and observedGeneration where the family has it at the top) for a phase. */
  conditions: (phase: Phase, resource: Resource) => Record<string, unknown>[];
  /** The path at which the family writes `status.observedGeneration`. */
  topLevelGeneration: boolean;
  /** Whether a look at a resource that is ready or refused gives its conditions a new time, also where nothing changed. */
  renewsTimes?: boolean;
  /** Whether its status says nothing of a change of an existing resource before the provider refuses it. */
  refusesAtOnce?: boolean;
  /** The types of conditions that have no time. */
  timeless?: readonly string[];
  /** Whether a resource whose creation failed loses the finalizer, also where its provider made it. It is given up then, and stays there. */
  releasesRefused?: boolean;
  /** How often the operator looks at a resource that did not change, in seconds. */
  looksEvery: (resource: Resource) => number;
  /** How the operator tries again what was refused. */
  backoff: Backoff;
  /** Whether a label or an annotation is a reason for the operator to act. */
  seesMetadata: boolean;
  /** Whether it tries no more until the spec changes. */
  givesUp: (resource: Resource) => boolean;
  isReady: (resource: Resource) => boolean;
  /** Whether its status is a refusal. */
  isRefused: (resource: Resource) => boolean;
  /** Whether the provider has created the resource. */
  exists: (resource: Resource) => boolean;
  keepsOnDelete: (resource: Resource) => boolean;
}

/** Whether a place offers an instance type; null if the catalog does not know the place. */
export type Offers = (place: string, instanceType: string) => boolean | null;

/** A resource with the rules of its simulation. */
export interface Subject {
  family: Family;
  rule: KindRule;
  resource: Resource;
}

export interface EngineOptions {
  families: readonly Family[];
  offers: Offers;
  speed: number;
  /** Milliseconds since 1970. */
  nowMs: () => number;
  log: (event: string, fields: Record<string, unknown>) => void;
}
