import type { KopsFlags, KopsProvider } from "./types.ts";

/** Zone of clusters that need no DNS. */
export const LOCAL_ZONE = "k8s.local";

/** What a KaasCluster's charts take where the user names nothing (charts/kaas-cluster/templates/_network.tpl, _pools.tpl). */
export const KAAS_DEFAULTS = { nodeCidr: "10.0.0.0/16", serviceCidr: "172.20.0.0/16", diskGiB: 64 } as const;

export interface ProviderDefaults {
  image: string;
  controlPlaneSize: string;
  /** On AWS pods have addresses of the nodes' network, as in EKS; Elemento's fork generates the add-on of cilium. */
  networking: "amazonvpc" | "cilium";
}

/** What kOps is given where no flag says otherwise. One place, easy to change. */
export const PROVIDER_DEFAULTS: Readonly<Record<KopsProvider, ProviderDefaults>> = {
  aws: {
    image: "ssm:/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id",
    // kOps's own default.
    controlPlaneSize: "t3.medium",
    networking: "amazonvpc",
  },
  elemento: { image: "ubuntu-24-04", controlPlaneSize: "argon", networking: "cilium" },
};

export const CONTINENTS = [
  "asia",
  "europe",
  "north-america",
  "south-america",
  "africa",
  "oceania",
  // Spelled so by Elemento.
  "antartica",
] as const;

/** Ranges of pods and services for kOps to divide; the first that the nodes' network does not overlap is taken. */
export const POD_AND_SERVICE_RANGES = ["100.64.0.0/10", "172.16.0.0/12"] as const;

/** The flags of an export that gives none, for a cluster in this zone. */
export const defaultFlags = (dnsZone: string = LOCAL_ZONE): KopsFlags => ({
  dnsZone,
  dns: dnsZone === LOCAL_ZONE ? "none" : "public",
  state: null,
  zone: null,
  kubernetesVersion: null,
  image: null,
  controlPlaneSize: null,
  controlPlaneVolumeGiB: 64,
  sshPublicKey: null,
  adminAccess: null,
  sshAccess: null,
});
