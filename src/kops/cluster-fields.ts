import { controlPlaneMembers, etcdClusters, isHighlyAvailable, isPrivate } from "./control-plane.ts";
import { KAAS_DEFAULTS, PROVIDER_DEFAULTS } from "./defaults.ts";
import { unlessEmpty } from "./merge.ts";
import { firstWithin, nonMasqueradeRange, podAndServiceRange, serviceRange, WIDEST_VPC } from "./networks.ts";
import { splitName } from "./names.ts";
import { tagsWithin } from "./schema-limits.ts";
import type { KaasCluster, KopsCatalog, KopsFlags, KopsProvider, Manifest } from "./types.ts";
import { readPlace, subnets, subnetZones } from "./zones.ts";
import { textOf } from "../model/json.ts";

type Fields = Record<string, unknown>;

/** One row of the mapping: the part of a Cluster that it writes, and what it reads from one, as partial objects. */
export interface ClusterField {
  kaas: string;
  kops: string;
  /** Description for docs/guides/kops.md. */
  how: string;
  write: (cluster: KaasCluster, flags: KopsFlags) => Fields;
  /** Receives a manifest that its schema accepts. */
  read: (manifest: Manifest, provider: KopsProvider, catalog: KopsCatalog) => { name?: string; spec?: Fields };
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const nodeCidr = ({ spec }: KaasCluster): string => spec.network?.nodeCidr ?? KAAS_DEFAULTS.nodeCidr;
const serviceCidr = ({ spec }: KaasCluster): string => spec.network?.serviceCidr ?? KAAS_DEFAULTS.serviceCidr;
const loadBalancer = (manifest: Manifest): Fields =>
  ((manifest.spec["api"] as Fields | undefined)?.["loadBalancer"] as Fields | undefined) ?? {};

/** The nodes' network of a manifest. EC2 makes no network that is wider than a /16. */
function nodesOf(spec: Fields, provider: KopsProvider): string | undefined {
  const cidr = text(spec["networkCIDR"]);
  return provider === "aws" && cidr !== undefined ? firstWithin(cidr, WIDEST_VPC) : cidr;
}

/** Elemento's clusters have only the network of the nodes. */
function podsAndServices(cluster: KaasCluster): Fields {
  if (cluster.spec.provider === "elemento") return { nonMasqueradeCIDR: podAndServiceRange(nodeCidr(cluster)) };
  return { nonMasqueradeCIDR: nonMasqueradeRange(serviceCidr(cluster)), serviceClusterIPRange: serviceCidr(cluster) };
}

/** Mapping between kOps's Cluster and KaasCluster, field by field, in both directions. */
export const CLUSTER_FIELDS: readonly ClusterField[] = [
  {
    kaas: "metadata.name",
    kops: "metadata.name",
    how: "Export: the object's name in the zone of `--dns-zone`. Import: the name without `spec.dnsZone`, without `k8s.local`, or without everything after the first dot.",
    write: ({ name }, { dnsZone }) => ({ metadata: { name: dnsZone === "" ? name : `${name}.${dnsZone}` } }),
    read: ({ metadata, spec }) => ({ name: splitName(metadata.name ?? "", spec["dnsZone"]).name }),
  },
  {
    kaas: "spec.provider",
    kops: "spec.cloudProvider",
    how: "`aws` or `elemento`. Networking is `amazonvpc` on AWS, because pods have addresses of the nodes' network there, and `cilium` on Elemento.",
    write: ({ spec: { provider } }) => ({
      spec: { cloudProvider: provider, networking: { [PROVIDER_DEFAULTS[provider].networking]: {} } },
    }),
    read: (_manifest, provider) => ({ spec: { provider } }),
  },
  {
    kaas: "spec.kubernetesVersion",
    kops: "spec.kubernetesVersion",
    how: "Export: patch version `.0`, or the version of `--kubernetes-version`. Import: the minor version.",
    write: ({ spec }, flags) => ({
      spec: { kubernetesVersion: flags.kubernetesVersion ?? `${spec.kubernetesVersion}.0` },
    }),
    read: ({ spec }) => ({
      spec: { kubernetesVersion: textOf(spec["kubernetesVersion"]).split(".").slice(0, 2).join(".") },
    }),
  },
  {
    kaas: "spec.network.nodeCidr",
    kops: "spec.networkCIDR",
    how: "The value, or the default: `10.0.0.0/16` at export, kOps's `172.20.0.0/16` at import. Import: on AWS the first /16 of a wider network.",
    write: (cluster) => ({ spec: { networkCIDR: nodeCidr(cluster) } }),
    read: ({ spec }, provider) => ({ spec: { network: { nodeCidr: nodesOf(spec, provider) } } }),
  },
  {
    kaas: "spec.network.serviceCidr",
    kops: "spec.serviceClusterIPRange, spec.nonMasqueradeCIDR",
    how: "Only on AWS. On Elemento, kOps divides a range of its own. Import: kOps's default is `100.64.0.0/13`; it is also used for IPv6 and for a range inside the nodes' network.",
    write: (cluster) => ({ spec: podsAndServices(cluster) }),
    read: ({ spec }, provider) => {
      if (provider !== "aws") return {};
      const nodes = nodesOf(spec, provider) ?? KAAS_DEFAULTS.nodeCidr;
      return { spec: { network: { serviceCidr: serviceRange(spec["serviceClusterIPRange"], nodes) } } };
    },
  },
  {
    kaas: "spec.schedulingLocation, spec.zones",
    kops: "spec.subnets[].zone, spec.subnets[].region",
    how: "AWS: one subnet per zone, each a quarter of the nodes' network, as in the chart; for a private endpoint, the quarter is halved into a private and a utility subnet. Import: at most four zones. Elemento: one subnet. Its zone is Elemento's provider or the continent of `--zone`, its region the location.",
    write: ({ name, spec }, flags) => ({ spec: { subnets: subnets(spec, flags, nodeCidr({ name, spec })) } }),
    read: (manifest, provider, catalog) => ({ spec: { ...readPlace(manifest, provider, catalog) } }),
  },
  {
    kaas: "spec.highAvailability",
    kops: "spec.etcdClusters[].etcdMembers",
    how: "Three members of the control plane instead of one, each with an InstanceGroup of the role Master.",
    write: ({ spec }, flags) => ({
      spec: { etcdClusters: etcdClusters(spec, controlPlaneMembers(spec, subnetZones(spec, flags))) },
    }),
    read: ({ spec }) => {
      const [main] = (spec["etcdClusters"] as { etcdMembers: unknown[] }[] | undefined) ?? [];
      return { spec: { highAvailability: isHighlyAvailable(main?.etcdMembers.length ?? 0) } };
    },
  },
  {
    kaas: "spec.endpoint",
    kops: "spec.api.loadBalancer.type, spec.kubernetesApiAccess",
    how: "`Public` or `Internal`. A private endpoint is reachable from the nodes' network, a public one from anywhere or from `--admin-access`.",
    write: (cluster, { adminAccess }) => {
      const inside = isPrivate(cluster.spec);
      const type = inside ? "Internal" : "Public";
      const balancer = cluster.spec.provider === "aws" ? { class: "Network", type } : { type };
      const access = adminAccess ?? [inside ? nodeCidr(cluster) : "0.0.0.0/0"];
      return { spec: { api: { loadBalancer: balancer }, kubernetesApiAccess: access } };
    },
    read: (manifest) => ({
      spec: { endpoint: loadBalancer(manifest)["type"] === "Internal" ? "private" : "public" },
    }),
  },
  {
    kaas: "spec.tags",
    kops: "spec.cloudLabels",
    how: "Copied. Import: only what a KaasCluster can have; its keys have small letters.",
    write: ({ spec }) => ({ spec: { cloudLabels: unlessEmpty(spec.tags) } }),
    read: ({ spec }) => ({ spec: { tags: unlessEmpty(tagsWithin(spec["cloudLabels"])) } }),
  },
];

/** Fields that kOps writes into every new cluster, and fields set by flags. */
export function unmappedFields(cluster: KaasCluster, flags: KopsFlags): Fields {
  const name = `${cluster.name}${flags.dnsZone === "" ? "" : `.${flags.dnsZone}`}`;
  const dns = { none: "None", public: "Public", private: "Private" }[flags.dns];
  return {
    spec: {
      authorization: { rbac: {} },
      channel: "stable",
      configBase: flags.state === null ? undefined : `${flags.state}/${name}`,
      dnsZone: flags.dns === "none" ? undefined : flags.dnsZone,
      iam: { allowContainerRegistry: true, legacy: false },
      kubelet: { anonymousAuth: false },
      sshAccess: flags.sshAccess ?? [nodeCidr(cluster)],
      topology: { dns: { type: dns } },
    },
  };
}
