import { nodesOf, zonesOf } from "./upgrade-nodes.ts";

type Fields = Record<string, unknown>;

/** The chart's defaults if the user sets no network (charts/kaas-cluster/templates/_network.tpl). */
export const DEFAULT_NETWORKS = {
  nodeCidr: "10.0.0.0/16",
  podCidr: "10.64.0.0/14",
  serviceCidr: "172.20.0.0/16",
} as const;
export type Network = keyof typeof DEFAULT_NETWORKS;

/** Addresses that a provider reserves in the nodes' network: AWS and Azure reserve five per subnet, Google Cloud four. */
const KEPT_ADDRESSES = 5;
/** Azure and Google Cloud give every node a /24 of the pods' network. */
const POD_ADDRESSES = 256;
/** The smallest network of AWS, Azure and Elemento. */
const SMALLEST_NETWORK = 26;
/** The widest network of nodes on AWS (CreateVpc of the EC2 API: a VPC has /16 to /28). */
export const WIDEST_VPC = 16;
/** The chart cuts the nodes' network into quarters, one for each zone (charts/kaas-cluster/templates/aws/network.yaml). */
const PARTS = 4;
/**
 * Addresses of a subnet that no node gets: five of AWS, and the six that EKS wants for its control plane, whose upgrade it refuses where five
 * are not free (https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html; aws/containers-roadmap, issue 1693).
 */
const KEPT_ON_AWS = 5 + 6;

/** The longest prefix whose network has this many addresses. */
const prefixFor = (addresses: number): number => 32 - Math.ceil(Math.log2(addresses));

/** The longest prefix of a cluster's VPC whose subnets have so many addresses for each node, and one unless they are named. */
export const longestVpc = (spec: Fields, nodes: number, each = 1): number =>
  prefixFor(PARTS * (Math.ceil(nodes / zonesOf(spec)) * each + KEPT_ON_AWS));

/**
 * Addresses that a node on AWS takes for its pods, at a usual size: those of two of its interfaces
 * (https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/eni-and-ip-target.md).
 */
export const POD_ADDRESSES_ON_AWS = 20;

/** The longest prefix of a cluster's VPC whose subnets have addresses for the pods of all nodes as well. */
export const roomyVpc = (spec: Fields): number =>
  Math.max(WIDEST_VPC, longestVpc(spec, nodesOf(spec).most, POD_ADDRESSES_ON_AWS));

type LongestPrefixes = Readonly<Record<Network, number>>;

/** The longest prefix of each network that has addresses for so many nodes. */
function prefixesFor(spec: Fields, nodes: number): LongestPrefixes {
  const ofNodes = spec["provider"] === "aws" ? longestVpc(spec, nodes) : prefixFor(nodes + KEPT_ADDRESSES);
  return {
    nodeCidr: Math.min(SMALLEST_NETWORK, ofNodes),
    podCidr: prefixFor(Math.max(1, nodes) * POD_ADDRESSES),
    serviceCidr: SMALLEST_NETWORK,
  };
}

/** The same for all nodes, during an upgrade as well. */
export function longestPrefixes(spec: Fields): LongestPrefixes {
  const { most, added } = nodesOf(spec);
  return prefixesFor(spec, most + added);
}

/**
 * The nodes for which a network is too small. The text of those that only an upgrade adds has no number: an installed cluster that lacks room for them may
 * still get fewer nodes.
 */
export function nodesWithout({ field, bits }: { field: Network; bits: number }, spec: Fields): string {
  const { most } = nodesOf(spec);
  return bits > prefixesFor(spec, most)[field]
    ? `${String(most)} nodes`
    : "the nodes that an upgrade adds to each pool";
}
