import type { ErrorCode } from "../errors.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";

export const KOPS_API = "kops.k8s.io/v1alpha2";
/** Landfall's providers that kOps supports (Elemento: through Elemento's fork). */
export const KOPS_PROVIDERS = ["aws", "elemento"] as const;
export type KopsProvider = (typeof KOPS_PROVIDERS)[number];

export interface Manifest extends KubernetesObject {
  spec: Record<string, unknown>;
}

/** A kOps cluster with all its manifests. */
export interface KopsManifests {
  cluster: Manifest;
  /** InstanceGroups of the control plane. */
  controlPlane: Manifest[];
  /** InstanceGroups of nodes. */
  nodes: Manifest[];
  sshKeys: Manifest[];
  /** InstanceGroups with another role: bastions, API servers. */
  others: Manifest[];
  /** Objects of other APIs, which kOps stores as add-ons and as files of the control plane. */
  additional: KubernetesObject[];
}

export interface KaasTaint {
  key: string;
  value?: string;
  effect: string;
}

export interface KaasPool {
  name: string;
  count?: number;
  min?: number;
  max?: number;
  cpu: number;
  memory: number;
  gpu?: number;
  diskGiB?: number;
  labels?: Record<string, string>;
  taints?: KaasTaint[];
}

/** The KaasCluster fields that have a counterpart in kOps. */
export interface KaasSpec {
  provider: KopsProvider;
  /** Absent on import if the manifests name only a continent. */
  schedulingLocation?: string;
  kubernetesVersion: string;
  zones?: string[];
  highAvailability?: boolean;
  endpoint?: "public" | "private";
  network?: { nodeCidr?: string; serviceCidr?: string };
  tags?: Record<string, string>;
  nodePools: KaasPool[];
  poolInstanceTypes: Record<string, string>;
}

export interface KaasCluster {
  name: string;
  spec: KaasSpec;
}

export interface Machine {
  vcpus: number;
  memoryGiB: number;
  gpus: number;
  arch: "amd64" | "arm64";
}

/** The catalog data that the mapping needs. */
export interface KopsCatalog {
  /** provider -> type -> its size */
  machines: Readonly<Record<KopsProvider, Readonly<Record<string, Machine>>>>;
  /** provider -> regions, as Landfall names them */
  regions: Readonly<Record<KopsProvider, readonly string[]>>;
  /** provider -> minor version of Kubernetes -> the last day on which the provider supports it (2026-12-02); null for none */
  kubernetes: Readonly<Record<KopsProvider, Readonly<Record<string, string | null>>>>;
  /** The day of the import: 2026-11-23. */
  today: string;
}

/** Values that kOps needs and a KaasCluster does not have. */
export interface KopsFlags {
  /** The cluster's name in kOps is the object's name within this zone. */
  dnsZone: string;
  dns: "none" | "public" | "private";
  /** s3://bucket; null leaves it to kOps's own --state. */
  state: string | null;
  /** Elemento's zone: its provider's id or a continent; null for the provider's id. */
  zone: string | null;
  /** Full Kubernetes version; null for patch version 0 of the object's minor version. */
  kubernetesVersion: string | null;
  image: string | null;
  controlPlaneSize: string | null;
  controlPlaneVolumeGiB: number;
  sshPublicKey: string | null;
  adminAccess: string[] | null;
  sshAccess: string[] | null;
}

/** A value that was lost or changed in the mapping. */
export interface Note {
  code: ErrorCode;
  /** Path in the input, e.g. `InstanceGroup/nodes-europe spec.image`. */
  path: string;
  value: unknown;
  message: string;
  remedy: string;
}
