import { overlaps, parseIpv4Network } from "./ipv4-network.ts";

/** Networks that no machine has addresses of (RFC 6890, table 1; RFC 5771): name and network. */
const SPECIAL: readonly (readonly [what: string, network: string])[] = [
  ["this network", "0.0.0.0/8"],
  ["loopback", "127.0.0.0/8"],
  ["link-local", "169.254.0.0/16"],
  ["multicast", "224.0.0.0/4"],
  ["reserved", "240.0.0.0/4"],
];

/**
 * Networks that AKS keeps for itself: https://learn.microsoft.com/azure/aks/configure-kubenet#prerequisites; a creation with another one fails
 * (Azure/AKS, issues 731 and 2234).
 */
const OF_AKS: readonly (readonly [what: string, network: string])[] = [
  ["reserved by AKS", "172.30.0.0/16"],
  ["reserved by AKS", "172.31.0.0/16"],
  ["reserved by AKS", "192.0.2.0/24"],
];

/** Why no network can have these addresses, as the end of a sentence; null if one can. `onAks`: a cluster that may be made by AKS. */
export function reservedFor(cidr: string, onAks: boolean): string | null {
  const network = parseIpv4Network(cidr);
  const found = [...SPECIAL, ...(onAks ? OF_AKS : [])].find(([, whole]) => {
    const reserved = parseIpv4Network(whole);
    return network !== null && reserved !== null && overlaps(network, reserved);
  });
  return found === undefined ? null : `overlaps ${found[1]}, which is ${found[0]}`;
}
