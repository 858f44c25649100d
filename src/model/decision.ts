import type { FunnelStep, LatencySource, PolicyDenial, PolicyWarning } from "./policy.ts";
import type { PlaceKey, Provider, WrittenField } from "./workload.ts";

/** An RFC 6902 operation. */
export interface PatchOperation {
  op: "add" | "replace" | "remove" | "test";
  path: string;
  value?: unknown;
}

export interface Denial extends PolicyDenial {
  /** What to do, in words. */
  remedy: string;
  /** The smallest change of the object that passes, where one was found. */
  patch?: PatchOperation[];
}

/** What a carbon figure rests on. Times are RFC 3339, UTC. */
export interface CarbonBasis {
  /** Electricity zone. */
  zone: string;
  /** The forecast's name in the settings, or where the climatology's figures come from. */
  source: string;
  /** When the forecast was made; null for climatology. */
  issuedAt: string | null;
  /** Up to when there is a forecast; null for climatology. */
  until: string | null;
  /** The forecast's error band for the whole run; null where it gives none. */
  gramsLow: number | null;
  gramsHigh: number | null;
  /**
   * Grams by which the start counted as better than its forecast, because it is decided again until then; left out where
   * nothing was counted.
   */
  gramsForWaiting?: number;
}

/** The chosen place and time. Times are RFC 3339, UTC. */
export interface Placement {
  provider: Provider;
  region: string;
  zone: string | null;
  instanceType: string;
  image: string | null;
  /** As the spec names it, e.g. ubuntu-24.04; null for a cluster. */
  os: string | null;
  /** Only of a machine whose disk the platform's settings decided. */
  osDisk?: { sizeGiB?: number; type?: string };
  start: string;
  /** Null for a long-running machine. */
  end: string | null;
  latencyMs: number | null;
  latencySource: LatencySource | null;
  /** USD, list price, on demand. */
  pricePerHour: number | null;
  /** Of the whole run, or of one hour where the object has no duration; null where the zone has no figure. */
  gramsCO2: number | null;
  /** The same machine started now at the origin (or in the mean of all candidates where that is unknown). */
  baselineGramsCO2: number | null;
  /** Null where the zone has no figure. */
  carbon: CarbonBasis | null;
  /** Who chose the place and the start: Landfall, or a scheduler outside that the platform named. */
  scheduler: "embedded" | "external";
  /** Only of a cluster: pool -> type, and the nodes that price and carbon are counted for. */
  cluster?: {
    kubernetesVersion: string;
    zones: string[];
    poolInstanceTypes: Record<string, string>;
    nodes: number;
  };
}

/** One of the best places, for people who want to see the choice. Lower scores are better; the chosen one comes first. */
export interface ScoredCandidate {
  place: PlaceKey;
  instanceType: string;
  start: string;
  latencyMs: number | null;
  latencySource: LatencySource | null;
  pricePerHour: number | null;
  gramsCO2: number | null;
  score: number;
}

/** Something that was missing or stale, and what was used instead. */
export interface Degradation {
  code: string;
  message: string;
}

/** schemas/decision.schema.json */
export interface Decision {
  /** First characters of the SHA-256 of the decision itself. */
  id: string;
  object: { kind: string; name: string; namespace: string };
  allowed: boolean;
  denials: Denial[];
  warnings: PolicyWarning[];
  placement: Placement | null;
  candidates: {
    considered: number;
    eligible: number;
    funnel: FunnelStep[];
    rejected: Record<string, PlaceKey[]>;
    best: ScoredCandidate[];
  };
  /** Spec fields that admission filled because the user left them out. */
  written: WrittenField[];
  /** SHA-256 (16 hex) over the inputs of the user: what an update is compared with. */
  inputs: string;
  policy: {
    digest: string;
    revision: string;
    /** By name, the other bundles that decided with it; omitted if there are none. */
    bundles?: Record<string, { digest: string; revision: string }>;
  };
  /** data source -> its date */
  data: Record<string, string>;
  degraded: Degradation[];
}
