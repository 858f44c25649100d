import type { Resource } from "../model/kubernetes.ts";
import type { ClusterRequest, MachineShape, NetworkRequest, PciDevice } from "./api/types.ts";

// The specs of the four kinds. The API server validates them by the schemas of charts/landfall/definitions.

export interface NameRef {
  readonly name: string;
}

export interface SecretRef extends NameRef {
  readonly key?: string;
}

interface Common {
  readonly name: string;
  readonly provider?: string;
  readonly region?: string;
  readonly credentialsSecret?: NameRef;
  readonly deletionPolicy: "delete" | "retain";
}

export interface VmVolume {
  readonly name: string;
  readonly type: "image" | "cloud-init" | "data";
  readonly sizeGB?: number;
  readonly bootable?: boolean;
  readonly readonly?: boolean;
  readonly shareable?: boolean;
  readonly private?: boolean;
  readonly existing?: string;
  readonly volumeRef?: NameRef;
}

export interface NetworkChoice {
  readonly existing?: string;
  readonly networkRef?: NameRef;
}

export interface VmSpec extends Common {
  readonly flavour?: string;
  readonly cpu?: Partial<Pick<MachineShape, "overprovision" | "allowSMT" | "archs" | "flags" | "minFrequencyMHz">> &
    Pick<MachineShape, "slots">;
  readonly memory?: { readonly sizeMiB: number; readonly reqECC?: boolean };
  readonly os: {
    readonly family: string;
    readonly flavour: string;
    readonly image?: string;
    readonly imageUrl?: string;
  };
  readonly volumes: readonly VmVolume[];
  readonly network?: NetworkChoice & { readonly cidr?: string; readonly dhcp?: boolean };
  readonly additionalNetworks?: readonly NetworkChoice[];
  readonly pciDevices?: readonly (Omit<PciDevice, "quantity"> & { readonly quantity?: number })[];
  readonly powerState: "running" | "off" | "as-is";
  readonly sshPublicKey?: string;
  readonly authentication?: { readonly username: string; readonly passwordSecret: SecretRef };
  readonly userData?: string;
  readonly userDataSecret?: SecretRef;
  readonly tags?: Readonly<Record<string, string>>;
}

export interface KaasSpec extends Common {
  readonly provider: string;
  readonly kubernetesVersion: string;
  readonly controlPlaneHA: boolean;
  readonly updatePolicy: ClusterRequest["updatePolicy"];
  readonly billing: ClusterRequest["billing"];
  readonly nodePools: readonly {
    readonly name: string;
    readonly autoscale: boolean;
    readonly minNodes: number;
    readonly maxNodes: number;
    readonly desiredNodes?: number;
    readonly sharedStorageGB: number;
    readonly specs: {
      readonly cpu: number;
      readonly memoryMiB: number;
      readonly storageGB: number;
      readonly gpu: number;
    };
    readonly billing?: ClusterRequest["billing"];
  }[];
  readonly network?: {
    readonly cidr?: string;
    readonly dhcp?: boolean;
    readonly startAddress?: string;
    readonly lastAddress?: string;
  };
  readonly kubeconfigSecret?: { readonly name: string; readonly key: string };
  readonly tags?: Readonly<Record<string, string>>;
}

export interface NetworkSpec extends Common {
  readonly provider: string;
  readonly cidr: string;
  readonly private: boolean;
  readonly dhcp?: {
    readonly enabled: boolean;
    readonly start?: string;
    readonly end?: string;
    readonly hosts?: readonly { readonly mac: string; readonly name: string; readonly address: string }[];
  };
  readonly routes?: NetworkRequest["routes"];
}

export interface VolumeSpec extends Common {
  readonly provider: string;
  readonly type: "data" | "image";
  readonly sizeGB: number;
  readonly image?: string;
  readonly imageUrl?: string;
  readonly bootable: boolean;
  readonly readonly: boolean;
  readonly shareable: boolean;
  readonly private: boolean;
}

/** Kind and name at Elemento (`machine/web-0123456789`) -> RFC 3339 time of a create without a visible result. */
export type Attempts = Readonly<Record<string, string>>;

export interface ElementoStatus extends Record<string, unknown> {
  readonly id?: string;
  /** Of an ElementoVm: Elemento's word for its state when it was last seen. */
  readonly state?: string;
  readonly placement?: { readonly provider: string; readonly region?: string };
  readonly attempts?: Attempts;
  /** Of an ElementoVm: the cloud-init volume with all files. */
  readonly cloudInit?: { readonly id: string };
  readonly network?: { readonly id?: string };
}

export interface ElementoObject<Spec = Common> extends Omit<Resource, "spec" | "status"> {
  readonly spec: Spec;
  readonly status?: ElementoStatus;
}
