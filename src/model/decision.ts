import type { BootTime } from "./places/boot-times.ts";
import type { FunnelStep, LatencySource, PolicyDenial, PolicyWarning } from "./policy.ts";
import type { CapacityType, PlaceKey, Provider, WhenDone, WrittenField } from "./workload.ts";

/** An RFC 6902 operation. */
export interface PatchOperation {
  op: "add" | "replace" | "remove" | "test";
  path: string;
  value?: unknown;
}

export interface Denial extends PolicyDenial {
  /** The remedy, as text. */
  remedy: string;
  /** The smallest change of the object that passes, if one was found. */
  patch?: PatchOperation[];
}

/** The source of a carbon figure. Times are RFC 3339, UTC. */
export interface CarbonBasis {
  /** Electricity zone. */
  zone: string;
  /** The forecast's name in the settings, or the climatology's source. */
  source: string;
  /** When the forecast was made; null for climatology. */
  issuedAt: string | null;
  /** End of the forecast; null for climatology. */
  until: string | null;
  /** The forecast's error band for the whole run; null if it has none. */
  gramsLow: number | null;
  gramsHigh: number | null;
  /**
   * Option value in grams: how much better than its forecast the start counted, because it is decided again until then;
   * omitted if there is none.
   */
  gramsForWaiting?: number;
  /** Grams that one day of waiting has to save; omitted if nothing can wait, waiting is free, or carbon does not count. */
  waitingGramsPerDay?: number;
}

/** The chosen place and time. Times are RFC 3339, UTC. */
export interface Placement {
  provider: Provider;
  region: string;
  zone: string | null;
  instanceType: string;
  /**
   * The size that quotas and budgets count, if it is more than the object asks for: of a type that it names, or of a cluster with its pools at their
   * largest. `pricePerHour` (USD): only of a cluster that can cost more than its expected nodes.
   */
  size?: { vcpus: number; memoryGiB: number; pricePerHour?: number };
  image: string | null;
  /** As in the spec, e.g. ubuntu-24.04; null for a cluster. */
  os: string | null;
  /** Only for a machine whose disk is from the platform's settings. */
  osDisk?: { sizeGiB?: number; type?: string };
  /** Only where the namespace or the platform says it, and something else than `keep`. */
  whenDone?: WhenDone;
  /** Only of a machine that asks for a capacity. */
  capacityType?: CapacityType;
  start: string;
  /** Null for a long-running machine. */
  end: string | null;
  /** The time that the deadline leaves for the boot, between the start and the work; omitted without a deadline. */
  boot?: BootTime;
  /** Only of a run that pauses: when the machine is on, in order of time; `start` and `end` are the first and the last time. */
  segments?: { start: string; end: string }[];
  latencyMs: number | null;
  latencySource: LatencySource | null;
  /** USD, list price, on demand. */
  pricePerHour: number | null;
  /** Of the whole run, or of one hour if the object has no duration; null if the zone has no data. */
  gramsCO2: number | null;
  /** The same machine started now at the origin (or the mean of all candidates if the origin is unknown). */
  baselineGramsCO2: number | null;
  /**
   * USD of the machine that the origin offers, started now: of the whole run, or of one hour. Omitted if it is unknown: there is no origin,
   * the rules omit it, or no price is published; decisions of version 0.2 lack it.
   */
  baselineUsd?: number;
  /** An immediate start, in the best place for it; omitted unless the start is later. `usd` is omitted if it is unknown. */
  now?: { place: PlaceKey; gramsCO2: number | null; usd?: number };
  /** Null if the zone has no data. */
  carbon: CarbonBasis | null;
  /** Who chose the place and the start: Landfall, or the platform's external scheduler. */
  scheduler: "embedded" | "external";
  /** Only for a cluster: pool -> type, and the number of nodes that price and carbon are based on. */
  cluster?: {
    kubernetesVersion: string;
    zones: string[];
    poolInstanceTypes: Record<string, string>;
    nodes: number;
  };
}

/** One of the best places, to explain the choice. Lower scores are better; the chosen one comes first. */
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
  /** The decision in one line, as apply prints it; omitted if it is denied, or the settings turn it off. */
  summary?: string;
  placement: Placement | null;
  candidates: {
    considered: number;
    eligible: number;
    funnel: FunnelStep[];
    rejected: Record<string, PlaceKey[]>;
    best: ScoredCandidate[];
  };
  /** Spec fields that admission filled because the user omitted them. */
  written: WrittenField[];
  /** SHA-256 (16 hex) of the user's inputs, to compare with an update. */
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
