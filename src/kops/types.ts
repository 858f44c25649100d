import type { ErrorCode } from "../errors.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";

export const KOPS_API = "kops.k8s.io/v1alpha2";
/** The providers of Landfall that kOps builds clusters at (Elemento: with Elemento's fork of it). */
export const KOPS_PROVIDERS = ["aws", "elemento"] as const;
export type KopsProvider = (typeof KOPS_PROVIDERS)[number];

export interface Manifest extends KubernetesObject {
  spec: Record<string, unknown>;
}

/** A kOps cluster with all that belongs to it. */
export interface KopsManifests {
  cluster: Manifest;
  /** InstanceGroups of the control plane. */
  controlPlane: Manifest[];
  /** InstanceGroups of nodes. */
  nodes: Manifest[];
  sshKeys: Manifest[];
  /** InstanceGroups with another role: bastions, API servers. */
  others: Manifest[];
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

/** The fields of a KaasCluster that have a counterpart in kOps. */
export interface KaasSpec {
  provider: KopsProvider;
  /** Absent on import where the manifests name a continent alone. */
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
}

/** What the mapping has to know of the providers. */
export interface KopsCatalog {
  /** provider -> type -> its size */
  machines: Readonly<Record<KopsProvider, Readonly<Record<string, Machine>>>>;
  /** provider -> regions, as Landfall names them */
  regions: Readonly<Record<KopsProvider, readonly string[]>>;
}

/** What kOps wants and a KaasCluster does not hold. */
export interface KopsFlags {
  /** The cluster's name in kOps is the object's name in this zone. */
  dnsZone: string;
  dns: "none" | "public" | "private";
  /** s3://bucket; null leaves it to kOps's own --state. */
  state: string | null;
  /** Elemento's zone: its provider's id or a continent; null for the provider's id. */
  zone: string | null;
  /** Full Kubernetes version; null for the first of the object's minor version. */
  kubernetesVersion: string | null;
  image: string | null;
  controlPlaneSize: string | null;
  controlPlaneVolumeGiB: number;
  sshPublicKey: string | null;
  adminAccess: string[] | null;
  sshAccess: string[] | null;
}

/** Something that did not come along, or came along as something else. */
export interface Note {
  code: ErrorCode;
  /** Where it stands in what was read, e.g. `InstanceGroup/nodes-europe spec.image`. */
  path: string;
  value: unknown;
  message: string;
  remedy: string;
}
