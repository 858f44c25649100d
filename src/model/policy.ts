import type { RelatedWorkloads } from "./cluster-data.ts";
import type { NamespaceData } from "./kubernetes.ts";
import type { BudgetSettings } from "./load.ts";
import type { PlaceKey, Provider, WorkloadRequest } from "./workload.ts";

/** What the policy's entrypoint gets as `input` (schemas/policy-input.schema.json). */
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
  /** What is known of the cluster's other objects; null where nothing is, as in `landfall explain`. */
  facts: RelatedWorkloads | null;
}

export interface PolicyDenial {
  code: string;
  message: string;
  field: string | null;
  actual: string | number | null;
  allowed: string | number | null;
}

export interface PolicyWarning {
  code: string;
  message: string;
}

/** `measured-p95`: only the 95th percentile is published, which is more than what is typical. */
export type LatencySource = "local" | "measured" | "reversed" | "measured-p95" | "estimated";

/** What a place would give a cluster. */
export interface ClusterOffer {
  kubernetesVersion: string;
  zones: string[];
  /** The expected nodes of each pool and their type. */
  pools: { name: string; nodes: number; instanceType: string }[];
}

/** A place that every rule allows, with the machine that would run there. */
export interface Candidate {
  place: PlaceKey;
  provider: Provider;
  region: string;
  /** Availability zone, where the provider needs one to be named; null otherwise. */
  zone: string | null;
  instanceType: string;
  vcpus: number;
  memoryGiB: number;
  /** USD per hour, list price, on demand; null where no price is published. */
  pricePerHour: number | null;
  /** Round trip to the origin; null where the object has no origin or nothing is known. */
  latencyMs: number | null;
  latencySource: LatencySource | null;
  electricityZone: string | null;
  image: string | null;
  /** Only for a cluster. Type is then that of its first pool; vCPU, GiB and price are those of all expected nodes. */
  cluster?: ClusterOffer;
}

/** How many places a rule left, in the order of the rules: the middle line of a denial. */
export interface FunnelStep {
  rule: string;
  text: string;
  remaining: number;
}

export interface ScheduleLimits {
  /** How much worse than the best score a place may be to count as equal, as a share of it. */
  tolerance: number;
  /** Share of the carbon that a new decision has to save before it moves a start that is decided. */
  minimumGain: number;
  /** The same for what runs: what creating it again elsewhere has to save to be worth a line in a report. `minimumGain` where it is left out. */
  recreateGain?: number;
  /** Whether objects that wait for their start are decided again until then; false where it is left out. */
  decidedAgain?: boolean;
  /** How long an object waits for others that are placed with it, where budgets hold; 0 where it is left out. */
  gatherMilliseconds?: number;
  budgets: BudgetSettings;
}

/** What the policy's entrypoint answers (schemas/policy-result.schema.json). */
export interface PolicyResult {
  denials: PolicyDenial[];
  warnings: PolicyWarning[];
  considered: number;
  /** Only the places that no rule removed. */
  candidates: Candidate[];
  /** rule -> the places that it was the first to remove. */
  rejected: Record<string, PlaceKey[]>;
  funnel: FunnelStep[];
  /** Values for fields that the user left out and that do not depend on the place. */
  defaults: { os: string; osDisk: { sizeGiB: number | null; type: string | null } };
  /** The origin that held: the object's, its namespace's or the platform's. */
  origin: PlaceKey | null;
  objective: { carbon: number; price: number; latency: number };
  /** Longest look-ahead for a start, in seconds. */
  horizonSeconds: number;
  schedule: ScheduleLimits;
  /** Which spec fields admission writes. */
  write: string[];
}

/** The text of a template, or why there is none; null where the bundle has no template of that name. */
export type Rendered = { text: string } | { broken: string } | null;

/** The platform team's own words for denials: Handlebars templates of the bundle. */
export interface MessageTemplates {
  /** Templates that cannot be parsed: name, and what is wrong. Known when the bundle is loaded. */
  readonly broken: ReadonlyMap<string, string>;
  /** Fills the template `name` (`denial`, or `denials.CODE.message`) with `values`. Never throws. */
  render(name: string, values: Readonly<Record<string, unknown>>): Rendered;
}
