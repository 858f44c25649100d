import { numberAt, textAt } from "../fields.ts";
import { type Room, tooFewFor, tooFewForPods } from "../network-room.ts";
import { minorOf } from "../pool-versions.ts";
import type { Lookup, Refusal, Resource } from "../types.ts";

type Fields = Record<string, unknown>;

/** Azure keeps five addresses of each subnet. */
const KEPT = 5;

const refusal = ({ needed, available }: Room, cidr: string, subnet: string): Refusal => ({
  code: "InsufficientSubnetSize",
  message: `Pre-allocated IPs ${String(needed)} exceeds IPs available ${String(available)} in Subnet Cidr ${cidr}, Subnet Name ${subnet}. If Autoscaler is enabled, the max-count from each nodepool is counted towards this total (which means that pre-allocated IPs count represents a theoretical max value, not the actual number of IPs requested). http://aka.ms/aks/insufficientsubnetsize`,
  terminal: true,
});

/** The most nodes that AKS makes of a pool: with a tenth more while it is upgraded (`maxSurge`), rounded up. */
function nodesOf(pool: Fields, status: Fields | undefined): number {
  const nodes = numberAt(pool, pool["enableAutoScaling"] === true ? "maxCount" : "count") ?? 0;
  const running = textAt(status, "currentOrchestratorVersion");
  const isUpgraded = running !== null && minorOf(running) !== minorOf(textAt(pool, "orchestratorVersion") ?? running);
  return isUpgraded ? nodes + Math.ceil(nodes / 10) : nodes;
}

/**
 * AKS's refusal of a pool for which its cluster's networks have too few addresses; null if they have enough. AKS counts all pools of the cluster;
 * each is counted alone here.
 */
export function addressRefusal(
  resource: Resource,
  pool: Fields,
  cluster: Resource | undefined,
  lookup: Lookup,
): Refusal | null {
  const nodes = nodesOf(pool, resource.status);
  const podCidr = textAt(cluster?.spec, "networkProfile.podCidr") ?? "";
  const forPods = tooFewForPods(nodes, podCidr);
  if (forPods !== null) return refusal(forPods, podCidr, "networkProfile.podCIDR");
  const name = textAt(pool, "vnetSubnetReference.name") ?? "";
  const { namespace } = resource.metadata;
  const subnet = lookup({ group: "network.azure.com", kind: "VirtualNetworksSubnet", namespace, name });
  const cidr = textAt(subnet?.spec, "addressPrefix") ?? "";
  const forNodes = tooFewFor(nodes, cidr, KEPT);
  return forNodes === null ? null : refusal(forNodes, cidr, name);
}
