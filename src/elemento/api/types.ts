// Inputs and outputs of Elemento's API as the reconcilers see them, with units in the field names.

/** A location: the provider behind Elemento, and its region if one was chosen. */
export interface Place {
  readonly provider: string;
  readonly region: string | null;
}

/** A machine's requirements, in the terms of `canallocate`. */
export interface MachineShape {
  readonly slots: number;
  readonly memoryMiB: number;
  /** Maximum number of machines that share a core. */
  readonly overprovision: number;
  readonly allowSMT: boolean;
  readonly archs: readonly string[];
  readonly flags: readonly string[];
  readonly reqECC: boolean;
  /** 0 for any. */
  readonly minFrequencyMHz: number;
  readonly os: { readonly family: string; readonly flavour: string };
  readonly pciDevices: readonly PciDevice[];
}

/** Four hexadecimal digits each, as lspci prints them. */
export interface PciDevice {
  readonly vendor: string;
  readonly model: string;
  readonly quantity: number;
}

export interface Price {
  readonly currency: string;
  readonly perHour: number;
  readonly perMonth: number;
}

export interface Offer extends Place {
  readonly price: Price;
}

export interface VmRequest extends MachineShape {
  readonly name: string;
  readonly place: Place;
  /** Ids of the volumes, boot volume first. */
  readonly volumeIds: readonly string[];
  /** Ids of its networks. */
  readonly networkIds: readonly string[];
  /** Returned by `listVms`: the operator recognises its machines by them after a crash. */
  readonly labels: Labels;
}

export type Labels = Readonly<Record<string, string>>;

/** The states of Elemento's Go client. */
export type VmState =
  | "initializing"
  | "off"
  | "running"
  | "starting"
  | "stopping"
  | "migrating"
  | "rebuilding"
  | "deleting"
  | "unknown";

export interface Vm {
  readonly id: string;
  readonly name: string;
  readonly state: VmState;
  /** Null until the machine runs. */
  readonly ipv4: string | null;
  readonly slots: number;
  readonly memoryMiB: number;
  readonly labels: Labels;
  readonly volumeIds: readonly string[];
  /** RFC 3339; null if Elemento does not return one. */
  readonly createdAt: string | null;
}

export interface VolumeRequest {
  readonly name: string;
  readonly place: Place;
  readonly sizeGB: number;
  readonly bootable: boolean;
  readonly readonly: boolean;
  readonly shareable: boolean;
  readonly private: boolean;
}

export interface ImageVolumeRequest {
  readonly name: string;
  readonly place: Place;
  readonly sizeGB: number;
  readonly private: boolean;
  /** The URL from which Elemento downloads the qcow2 image. */
  readonly imageUrl: string;
}

export interface CloudInitRequest {
  readonly name: string;
  readonly place: Place;
  readonly private: boolean;
  /** A secret: never in a log or an error. */
  readonly userData: string;
}

/** `creating` until it can be attached; `unknown` for a word that is not documented. */
export type VolumeState = "creating" | "available" | "deleting" | "error" | "unknown";

export interface Volume {
  readonly id: string;
  readonly name: string;
  readonly state: VolumeState;
  readonly sizeGB: number;
  readonly bootable: boolean;
  readonly cloudInit: boolean;
  /** Ids of the machines that use it. */
  readonly vmIds: readonly string[];
}

export interface NetworkRequest {
  readonly name: string;
  readonly place: Place;
  /** E.g. 10.0.0.0/24. */
  readonly cidr: string;
  /** `all` for every usable address; null for a network without DHCP. */
  readonly dhcp: DhcpRange | "all" | null;
  readonly routes: readonly { readonly address: string; readonly prefix: number; readonly gateway: string }[];
  readonly private: boolean;
}

export interface DhcpRange {
  readonly start: string;
  readonly end: string;
  /** Reserved addresses by MAC address. */
  readonly hosts: readonly { readonly mac: string; readonly name: string; readonly address: string }[];
}

export interface Network {
  readonly id: string;
  readonly name: string;
  readonly cidr: string;
}

export interface NodePool {
  readonly name: string;
  readonly autoscale: boolean;
  readonly minNodes: number;
  readonly maxNodes: number;
  readonly desiredNodes: number;
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly storageGB: number;
  readonly sharedStorageGB: number;
  readonly gpu: number;
  /** If it differs from the cluster's. */
  readonly billing?: ClusterRequest["billing"];
}

export interface ClusterRequest {
  readonly name: string;
  readonly place: Place;
  /** As in the object, e.g. 1.34. */
  readonly kubernetesVersion: string;
  readonly controlPlaneHA: boolean;
  readonly updatePolicy: "ALWAYS_UPDATE" | "MANUAL" | "NEVER_UPDATE";
  readonly billing: "hour" | "day" | "week" | "month" | "year";
  readonly nodePools: readonly NodePool[];
  readonly network: {
    readonly cidr: string;
    readonly dhcp: boolean;
    /** The range of the nodes' addresses; the network's range if omitted. */
    readonly startAddress?: string;
    readonly lastAddress?: string;
  };
  /** Sent as the request's metadata: the operator recognises its clusters by them after a crash. */
  readonly labels: Labels;
}

export interface ClusterQuote {
  readonly canCreate: boolean;
  readonly provider: string | null;
  /** Per billing period, e.g. month. */
  readonly prices: readonly { readonly period: string; readonly amount: number }[];
}

/** Elemento does not publish cluster states: these are inferred. */
export type ClusterState = "creating" | "running" | "updating" | "deleting" | "error" | "unknown";

export interface Cluster {
  readonly id: string;
  readonly name: string;
  readonly state: ClusterState;
  readonly kubernetesVersion: string;
  readonly cidr: string | null;
  readonly location: string | null;
  /** URL of the API server; null if Elemento does not return it (the kubeconfig has it). */
  readonly endpoint: string | null;
  readonly labels: Labels;
}
