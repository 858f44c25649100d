import type { KubernetesObject } from "./kubernetes.ts";
import type { Kind } from "./names.ts";

export const PROVIDERS = ["azure", "aws", "gcp", "elemento"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** `provider/region`, e.g. `azure/italynorth`: how a place is named everywhere in Landfall. */
export type PlaceKey = string;

export type ObjectiveName = "carbon" | "cost" | "latency" | "balanced";

/** `VmTemplate.spec` as schemas/vm-template.schema.json has it. Sizes are vCPU and GiB. */
export interface VmTemplateSpec {
  cpu: number;
  memory: number;
  duration?: string;
  deadline?: string;
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

/** The fields that admission writes where the user left them out. */
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
] as const;
export type WrittenField = (typeof WRITTEN_FIELDS)[number];

/** The written fields of each kind: a cluster's pools have sizes of their own, so it has no one type, zone or image. */
export const WRITTEN_BY_KIND: Readonly<Record<WorkloadRequest["kind"], readonly WrittenField[]>> = {
  VmTemplate: ["provider", "schedulingLocation", "schedulingTime", "instanceType", "zone", "image", "os", "osDisk"],
  KaasCluster: ["provider", "schedulingLocation", "schedulingTime", "kubernetesVersion", "zones", "poolInstanceTypes"],
};

/** A pool of a cluster as the policy sees it. */
export interface PoolRequest {
  name: string;
  cpu: number;
  memoryGiB: number;
  gpu: number;
  /** Fewest and most nodes, and how many are expected: the middle. */
  least: number;
  most: number;
  nodes: number;
  /** What the user, or an earlier decision, fixed. */
  instanceType: string | null;
}

export interface ClusterRequest {
  pools: PoolRequest[];
  kubernetesVersion: string | null;
  highAvailability: boolean;
  zones: string[] | null;
}

/** What the policy and the placement need of an object, parsed once: durations in seconds, times in seconds since 1970. */
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
  /** Null: start now. */
  deadline: number | null;
  maxLatencyMs: number | null;
  origin: PlaceKey | null;
  dataResidency: string[];
  optimizeFor: ObjectiveName | null;
  os: string | null;
  /** What the user fixed. */
  pin: {
    provider: string | null;
    region: string | null;
    instanceType: string | null;
    zone: string | null;
    image: string | null;
    start: number | null;
  };
  /** An existing network is named: only its own provider and region can use it. */
  existingNetwork: boolean;
  /** Only of a KaasCluster. */
  cluster?: ClusterRequest;
}

/** A VmTemplate or KaasCluster as it came: nothing about `spec` is known before `checkObject` has passed. */
export interface WorkloadObject extends KubernetesObject {
  spec?: Record<string, unknown>;
  status?: unknown;
}

/** A workload object whose kind is known to be one that Landfall decides. */
export type Workload = WorkloadObject & { kind: Kind };
