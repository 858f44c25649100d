import type { KopsFlags, KopsProvider } from "./types.ts";

/** Zone of clusters that need no DNS. */
export const LOCAL_ZONE = "k8s.local";

/** Whether names in the zone have no DNS: kOps 1.37 removed gossip DNS, which was for them. */
export const isLocal = (dnsZone: string): boolean => dnsZone === LOCAL_ZONE || dnsZone.endsWith(`.${LOCAL_ZONE}`);

/** Defaults of the KaasCluster charts (charts/kaas-cluster/templates/_network.tpl, _pools.tpl). */
export const KAAS_DEFAULTS = { nodeCidr: "10.0.0.0/16", serviceCidr: "172.20.0.0/16", diskGiB: 64 } as const;

export interface ProviderDefaults {
  image: string;
  controlPlaneSize: string;
  /** On AWS, pods get addresses of the nodes' network, as in EKS. Elemento's fork generates the cilium add-on. */
  networking: "amazonvpc" | "cilium";
}

/** Values for kOps if no flag sets them. */
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
  // Elemento's own spelling.
  "antartica",
] as const;

/**
 * Candidate ranges for pods and services, which kOps divides; the first one that does not overlap the nodes' network is
 * used.
 */
export const POD_AND_SERVICE_RANGES = ["100.64.0.0/10", "172.16.0.0/12"] as const;

/** The default flags of an export, for a cluster in this DNS zone. */
export const defaultFlags = (dnsZone: string = LOCAL_ZONE): KopsFlags => ({
  dnsZone,
  dns: isLocal(dnsZone) ? "none" : "public",
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
