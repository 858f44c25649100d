import { isObject, textOf } from "../model/json.ts";
import { parseIpv4Network } from "../model/formats/ipv4-network.ts";
import { isLocal } from "./defaults.ts";
import { splitName } from "./names.ts";
import type { KopsProvider, Manifest } from "./types.ts";

type Fields = Record<string, unknown>;

/**
 * The values that kOps 1.37 uses if a manifest has none (kubernetes/kops: upup/pkg/fi/cloudup/defaults.go,
 * populate_cluster_spec.go and populate_instancegroup_spec.go, pkg/model/defaults/volumes.go).
 */
export const KOPS_DEFAULTS = {
  networkCIDR: "172.20.0.0/16",
  nonMasqueradeCIDR: "100.64.0.0/10",
  serviceClusterIPRange: "100.64.0.0/13",
  /** With nonMasqueradeCIDR ::/0. */
  serviceClusterIPv6Range: "fd00:5e4f:ce::/108",
  /** GiB by role. */
  rootVolumeSize: { Master: 64, APIServer: 128, Node: 128, Bastion: 32 },
  /** Nodes; other roles have one machine. */
  nodeCount: 2,
  /** The first of kOps's candidates that AWS offers in the zones. */
  machineType: "t3.medium",
} as const;

const isKarpenter = ({ spec }: Manifest): boolean => spec["manager"] === "Karpenter";

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const objects = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Fields of `defaults` that `fields` lacks. */
const filled = (fields: Fields, defaults: Fields): Fields => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)),
});

/** The network of a VPC that kOps does not make is looked up in AWS, so it has no default. */
function networkDefaults(spec: Fields): Fields {
  const ipv6 = textOf(spec["nonMasqueradeCIDR"]).includes(":");
  const serviceClusterIPRange = ipv6 ? KOPS_DEFAULTS.serviceClusterIPv6Range : KOPS_DEFAULTS.serviceClusterIPRange;
  const networkCIDR = spec["networkID"] === undefined ? KOPS_DEFAULTS.networkCIDR : undefined;
  const usesVpc = fieldsOf(spec["networking"])["amazonvpc"] !== undefined;
  const nonMasqueradeCIDR =
    usesVpc && spec["networkCIDR"] === undefined ? networkCIDR : KOPS_DEFAULTS.nonMasqueradeCIDR;
  return { networkCIDR, nonMasqueradeCIDR, serviceClusterIPRange };
}

/** Without a choice, the API server has a load balancer if the control plane is in private subnets, otherwise a DNS name. */
function apiDefaults(spec: Fields): Fields {
  const api = fieldsOf(spec["api"]);
  if (isObject(api["loadBalancer"]))
    return { ...api, loadBalancer: filled(api["loadBalancer"], { class: "Classic", type: "Public" }) };
  if (api["dns"] !== undefined) return api;
  const isPrivate = objects(spec["subnets"]).some(({ type }) => type === "Private");
  return { ...api, ...(isPrivate ? { loadBalancer: { class: "Classic", type: "Public" } } : { dns: {} }) };
}

function topologyDefaults(name: string, spec: Fields): Fields {
  const topology = fieldsOf(spec["topology"]);
  const dns = filled(fieldsOf(topology["dns"]), { type: "Public" });
  // kOps looks for the hosted zone with the longest name that fits.
  const { zone } = splitName(name, spec["dnsZone"]);
  const isFound = spec["dnsZone"] === undefined && dns["type"] !== "None" && zone !== "" && !isLocal(zone);
  return { topology: { ...topology, dns }, ...(isFound ? { dnsZone: zone } : {}) };
}

const CPU: Readonly<Record<string, string>> = { main: "200m", events: "100m" };

function etcdDefaults(cluster: Fields): Fields {
  const manager = filled(fieldsOf(cluster["manager"]), { backupRetentionDays: 90 });
  const cpuRequest = CPU[textOf(cluster["name"])];
  const etcdMembers = objects(cluster["etcdMembers"]).map((member) => filled(member, { encryptedVolume: false }));
  return { ...filled(cluster, { cpuRequest, memoryRequest: "100Mi" }), manager, etcdMembers };
}

/** A Cluster with the values that kOps uses for fields that it lacks. */
export function clusterWithDefaults(cluster: Manifest, provider: KopsProvider): Manifest {
  if (provider !== "aws") return cluster;
  const { metadata, spec } = cluster;
  const { etcdClusters, iam } = spec;
  const nested = {
    ...topologyDefaults(metadata.name ?? "", spec),
    api: apiDefaults(spec),
    iam: filled(fieldsOf(iam), { allowContainerRegistry: false, legacy: false }),
    ...(Array.isArray(etcdClusters) ? { etcdClusters: objects(etcdClusters).map(etcdDefaults) } : {}),
  };
  const fixed = { ...networkDefaults(spec), authorization: { rbac: {} } };
  return { ...cluster, spec: { ...filled(spec, fixed), ...nested } };
}

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** Karpenter starts machines as pods need them: it has neither of the two sizes by default. */
function sizes(group: Manifest): Fields {
  if (isKarpenter(group)) return {};
  const least = group.spec["role"] === "Node" ? KOPS_DEFAULTS.nodeCount : 1;
  const minSize = number(group.spec["minSize"]) ?? least;
  const maxSize = number(group.spec["maxSize"]) ?? Math.max(least, minSize);
  // The cluster's autoscaler may scale every group; between equal sizes there is nothing to scale.
  return { minSize, maxSize, ...(group.spec["role"] === "Node" ? { autoscale: minSize !== maxSize } : {}) };
}

function subnetNames({ spec }: Manifest): string[] {
  const inside = objects(spec["subnets"]).filter(({ type }) => type !== "Utility");
  const names = (some: readonly Fields[]): string[] => some.map(({ name }) => textOf(name));
  const single = names(inside.filter(({ type }) => type !== "DualStack"));
  return single.length > 0 ? single : names(inside);
}

/** An InstanceGroup with the values that kOps uses for fields that it lacks. Elemento's fork has disks of one size. */
export function groupWithDefaults(group: Manifest, cluster: Manifest, provider: KopsProvider): Manifest {
  const volumes: Readonly<Record<string, number>> = KOPS_DEFAULTS.rootVolumeSize;
  const rootVolumeSize = provider === "aws" ? volumes[textOf(group.spec["role"])] : undefined;
  const subnets = group.spec["role"] === "Node" ? subnetNames(cluster) : undefined;
  return { ...group, spec: filled(group.spec, { ...sizes(group), rootVolumeSize, subnets }) };
}

export const isIpv4Network = (value: unknown): value is string =>
  typeof value === "string" && parseIpv4Network(value) !== null;
