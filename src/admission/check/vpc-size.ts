type Fields = Record<string, unknown>;

/** The chart cuts the nodes' network into quarters, one for each zone (charts/kaas-cluster/templates/aws/network.yaml). */
const PARTS = 4;
/** Zones that the cluster has if its object names none (policies/bundle/landfall/clusters/data.yaml). */
const ZONES = { usual: 2, highlyAvailable: 3 };
/**
 * Addresses of a subnet that no node gets: five of AWS, and the six that EKS wants for its control plane, whose upgrade it refuses where five
 * are not free (https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html; aws/containers-roadmap, issue 1693).
 */
const KEPT_ADDRESSES = 5 + 6;

/** The longest prefix whose network has this many addresses. */
export const prefixFor = (addresses: number): number => 32 - Math.ceil(Math.log2(addresses));

/** The number of zones that EKS divides the nodes among. */
export function zonesOf({ zones, highAvailability }: Fields): number {
  if (Array.isArray(zones) && zones.length > 0) return zones.length;
  return highAvailability === true ? ZONES.highlyAvailable : ZONES.usual;
}

/** The longest prefix of a cluster's VPC whose subnets have so many addresses for each node, and one unless they are named. */
export const longestVpc = (spec: Fields, nodes: number, each = 1): number =>
  prefixFor(PARTS * (Math.ceil(nodes / zonesOf(spec)) * each + KEPT_ADDRESSES));
