import type { KubernetesObject } from "./kubernetes.ts";
import type { Kind } from "./names.ts";
import type { PauseRules } from "./pausing-times.ts";

export const PROVIDERS = ["azure", "aws", "gcp", "elemento"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** `provider/region`, e.g. `azure/italynorth`: the name of a place everywhere in Landfall. */
export type PlaceKey = string;

export type ObjectiveName = "carbon" | "cost" | "latency" | "balanced";

/** The options for a run that is done. */
export const WHEN_DONE = ["delete", "stop", "keep"] as const;
export type WhenDone = (typeof WHEN_DONE)[number];

/** How a machine is bought. The provider can reclaim a spot machine at any time. */
export type CapacityType = "on-demand" | "spot";

/** `VmTemplate.spec` of schemas/vm-template.schema.json. Sizes are vCPU and GiB. */
export interface VmTemplateSpec {
  cpu: number;
  memory: number;
  duration?: string;
  maxLifetime?: string;
  whenDone?: WhenDone;
  keepFailed?: string;
  interruptible?: { minRun?: string; maxPauses?: number; resumeCost?: string };
  deadline?: string;
  maxWait?: string;
  waitingCostPercent?: number;
  maxPrice?: string;
  capacity?: "on-demand" | "spot" | "either";
  capacityType?: CapacityType;
  maxLatency?: number;
  vmName?: string;
  origin?: PlaceKey;
  provider?: Provider;
  schedulingLocation?: string;
  schedulingTime?: string;
  dataResidency?: string[];
  arch?: "amd64" | "arm64";
  burstable?: boolean;
  os?: string;
  osDisk?: { sizeGiB?: number; type?: string };
  disks?: { name: string; sizeGiB: number; type?: string }[];
  network?: {
    cidr?: string;
    publicIP?: boolean;
    existing?: { network?: string; subnet?: string; securityGroups?: string[] };
  };
  ports?: { port: number; toPort?: number; protocol?: "tcp" | "udp"; cidrs?: string[] }[];
  sshPublicKey?: string;
  userData?: string;
  optimizeFor?: ObjectiveName;
  tags?: Record<string, string>;
  deletionPolicy?: "delete" | "retain";
  instanceType?: string;
  zone?: string;
  image?: string;
  global?: Record<string, unknown>;
}

export interface VmTemplate extends KubernetesObject {
  kind: "VmTemplate";
  spec: VmTemplateSpec;
}

/** The fields that admission writes if the user omitted them. */
export const WRITTEN_FIELDS = [
  "provider",
  "schedulingLocation",
  "schedulingTime",
  "instanceType",
  "zone",
  "image",
  "os",
  "osDisk",
  "kubernetesVersion",
  "zones",
  "poolInstanceTypes",
  "whenDone",
  "capacityType",
] as const;
export type WrittenField = (typeof WRITTEN_FIELDS)[number];

/** The written fields of each kind: a cluster's pools have their own sizes, so it has no single type, zone or image. */
export const WRITTEN_BY_KIND: Readonly<Record<WorkloadRequest["kind"], readonly WrittenField[]>> = {
  VmTemplate: [
    "provider",
    "schedulingLocation",
    "schedulingTime",
    "instanceType",
    "zone",
    "image",
    "os",
    "osDisk",
    "whenDone",
    "capacityType",
  ],
  KaasCluster: [
    "provider",
    "schedulingLocation",
    "schedulingTime",
    "kubernetesVersion",
    "zones",
    "poolInstanceTypes",
    "whenDone",
  ],
};

/** A pool of a cluster in the policy's input. */
export interface PoolRequest {
  name: string;
  cpu: number;
  memoryGiB: number;
  gpu: number;
  /** Minimum, maximum and expected number of nodes (the middle). */
  least: number;
  most: number;
  nodes: number;
  /** Fixed by the user or an earlier decision. */
  instanceType: string | null;
  /** The type of the nodes of a pool that is there. Omitted for a new one. */
  installedType?: string;
}

export interface ClusterRequest {
  pools: PoolRequest[];
  kubernetesVersion: string | null;
  highAvailability: boolean;
  zones: string[] | null;
}

/**
 * The requirements of an object for policy and placement, parsed once: durations in seconds, times in seconds since
 * 1970.
 */
export interface WorkloadRequest {
  kind: "VmTemplate" | "KaasCluster";
  name: string;
  namespace: string;
  cpu: number;
  memoryGiB: number;
  /** The usage that counts against a quota: the machine, or the sum of a cluster's pools at their largest. */
  total: { vcpus: number; memoryGiB: number };
  arch: "amd64" | "arm64";
  burstable: boolean;
  /** Null: a long-running machine. */
  durationSeconds: number | null;
  /** Null: start now, unless `maxWaitSeconds` is set. */
  deadline: number | null;
  /** How the run may pause; omitted if it must not. */
  pauses?: PauseRules;
  /** The object's own limit of waiting; null: none. */
  maxWaitSeconds: number | null;
  /** The object's own cost of waiting, in percent; null: that of the namespace or the platform. */
  waitingCostPercent: number | null;
  /** USD, list price; omitted without a limit. */
  maxPricePerHour?: number;
  maxLatencyMs: number | null;
  origin: PlaceKey | null;
  dataResidency: string[];
  optimizeFor: ObjectiveName | null;
  os: string | null;
  /** The values that the user fixed. */
  pin: {
    provider: string | null;
    region: string | null;
    instanceType: string | null;
    zone: string | null;
    image: string | null;
    start: number | null;
  };
  /** An existing network is set: only its own provider and region can use it. */
  existingNetwork: boolean;
  /** The size that runs already, as large as its machine types are. Omitted for an object that is new, or may move. */
  running?: { vcpus: number; memoryGiB: number };
  /** Machine types that have no capacity now: another size of their series is wanted. Omitted for a usual decision. */
  instead?: readonly string[];
  /** The type of a machine that is there and whose provider changes it: another one has to be of its group. Omitted for a usual decision. */
  installedType?: string;
  /** Only of a KaasCluster. */
  cluster?: ClusterRequest;
}

/** A VmTemplate or KaasCluster as received: `spec` is unchecked before `checkObject`. */
export interface WorkloadObject extends KubernetesObject {
  spec?: Record<string, unknown>;
  status?: unknown;
}

/** A workload object whose kind is one that Landfall decides. */
export type Workload = WorkloadObject & { kind: Kind };

/** The name of a place: `azure/italynorth`. */
export const placeName = ({ provider, region }: { provider: string; region: string }): PlaceKey =>
  `${provider}/${region}`;
