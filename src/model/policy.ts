import type { RelatedWorkloads, Usage } from "./cluster-data.ts";
import type { NamespaceData } from "./kubernetes.ts";
import type { BudgetSettings } from "./places/load.ts";
import type { CapacityType, PlaceKey, Provider, WhenDone, WorkloadRequest } from "./workload.ts";

/** The `input` of the policy's entrypoint (schemas/policy-input.schema.json). */
export interface PolicyInput {
  request: WorkloadRequest;
  /** The object's own spec, for rules that platform teams add. */
  spec: Record<string, unknown>;
  metadata: { name: string; namespace: string; labels: Record<string, string>; annotations: Record<string, string> };
  operation: "CREATE" | "UPDATE";
  namespace: NamespaceData;
  /** Seconds since 1970, and the same as UTC calendar parts for rules about office hours. */
  now: number;
  clock: { weekday: number; hour: number; month: number; /** RFC 3339 */ time: string };
  /** Data about the cluster's other objects; null if there is none, as in `landfall explain`. */
  facts: RelatedWorkloads | null;
}

export interface PolicyDenial {
  code: string;
  message: string;
  field: string | null;
  actual: string | number | null;
  allowed: string | number | null;
  /** The team's bundle that denies; omitted for the platform's own rules. Set by Landfall, not by the rule. */
  source?: string;
}

export interface PolicyWarning {
  code: string;
  message: string;
  /** The team's bundle that warns; omitted for the platform's own rules. Set by Landfall, not by the rule. */
  source?: string;
}

/** `measured-p95`: only the 95th percentile is published, which is higher than a typical value. */
export type LatencySource = "local" | "measured" | "reversed" | "measured-p95" | "estimated";

/** A place's offer for a cluster. */
export interface ClusterOffer {
  kubernetesVersion: string;
  zones: string[];
  /** The expected nodes of each pool and their type. Size and price are those of one node; other bundles may lack them. */
  pools: {
    name: string;
    nodes: number;
    instanceType: string;
    vcpus?: number;
    memoryGiB?: number;
    /** USD per hour; null if no price is published. */
    pricePerHour?: number | null;
  }[];
}

/** A place that every rule allows, with the machine for it. */
export interface Candidate {
  place: PlaceKey;
  provider: Provider;
  region: string;
  /** Availability zone, if the provider requires one; null otherwise. */
  zone: string | null;
  instanceType: string;
  vcpus: number;
  memoryGiB: number;
  /** The amount that a budget checks and then counts, if that is more than `vcpus`: a cluster at its largest. */
  mostVcpus?: number;
  /** Only of a machine that asks for a capacity. */
  capacity?: CapacityType;
  /** USD per hour, list price, of a spot machine the spot price; null if no price is published. */
  pricePerHour: number | null;
  /** Round trip to the origin; null if the object has no origin or it is unknown. */
  latencyMs: number | null;
  latencySource: LatencySource | null;
  electricityZone: string | null;
  image: string | null;
  /** Only for a cluster. The type is then that of its first pool; vCPU, GiB and price are totals of all expected nodes. */
  cluster?: ClusterOffer;
}

/** How many places remained after a rule, in the order of the rules: the middle line of a denial. */
export interface FunnelStep {
  rule: string;
  text: string;
  remaining: number;
}

export interface ScheduleLimits {
  /** Relative tolerance to the best score within which places count as equal. */
  tolerance: number;
  /** Share of carbon that a new decision must save to move a decided start. */
  minimumGain: number;
  /**
   * The same for running machines: the saving that makes a re-creation elsewhere worth reporting. `minimumGain` if
   * omitted.
   */
  recreateGain?: number;
  /** Whether objects that wait for their start are decided again until then; false if omitted. */
  decidedAgain?: boolean;
  /** Percent of the best score of an immediate start that one day of waiting has to save; 0 if omitted. */
  waitingCostPercent?: number;
  /** Longest time from an object's creation to its start; unlimited if omitted or null. */
  maxWaitSeconds?: number | null;
  /** Whether apply prints what was decided; true if omitted. */
  tellDecision?: boolean;
  /** How long an object waits to be placed in a batch with others, if there are budgets; 0 if omitted. */
  gatherMilliseconds?: number;
  budgets: BudgetSettings;
}

/** A limit of the round trip for an object that says nothing of where it may run. It gives way if it leaves no place. */
export interface LatencyDefault {
  ms: number;
  /** The place that it is measured from. */
  origin: PlaceKey;
}

/** The result of the policy's entrypoint (schemas/policy-result.schema.json). */
export interface PolicyResult {
  denials: PolicyDenial[];
  warnings: PolicyWarning[];
  considered: number;
  /** Only the places that no rule removed. */
  candidates: Candidate[];
  /** rule -> the places that it was the first to remove. */
  rejected: Record<string, PlaceKey[]>;
  funnel: FunnelStep[];
  /** Values for fields that the user omitted and that do not depend on the place. */
  defaults: { os: string; osDisk: { sizeGiB: number | null; type: string | null }; whenDone?: WhenDone };
  /** The effective origin: the object's, its namespace's or the platform's. */
  origin: PlaceKey | null;
  /** Null or omitted if there is none, or another limit applies. */
  latencyDefault?: LatencyDefault | null;
  objective: { carbon: number; price: number; latency: number };
  /** Longest time to a start, in seconds. */
  horizonSeconds: number;
  schedule: ScheduleLimits;
  /** The limits of the namespace's quota; empty for none; omitted by bundles of earlier versions. */
  quota?: Partial<Usage>;
  /** Which spec fields admission writes. */
  write: string[];
}

/** The text of a template, or why there is none; null if the bundle has no template with that name. */
export type Rendered = { text: string } | { broken: string } | null;

/** The platform team's templates for denials: Handlebars templates in the bundle. */
export interface MessageTemplates {
  /** Templates that cannot be parsed: name and error. Known when the bundle is loaded. */
  readonly broken: ReadonlyMap<string, string>;
  /** Fills the template `name` (`denial`, or `denials.CODE.message`) with `values`. Never throws. */
  render(name: string, values: Readonly<Record<string, unknown>>): Rendered;
}
