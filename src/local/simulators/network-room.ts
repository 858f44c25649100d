import { parseIpv4Network } from "../../model/formats/ipv4-network.ts";

/** Addresses of a node's pods: AKS and GKE give each node a /24 of the pods' network. */
const POD_ADDRESSES = 256;

/** The number of addresses of a network; null for what is none. */
const sizeOf = (cidr: string): number | null => {
  const network = parseIpv4Network(cidr);
  return network === null ? null : network.last - network.first + 1;
};

/** Addresses of a network: those that nodes need, and those that it has for them. */
export interface Room {
  needed: number;
  available: number;
}

/** The room for nodes in a network without the addresses that its provider keeps; null if it suffices, or if there is no network. */
export function tooFewFor(nodes: number, cidr: string, kept: number): Room | null {
  const size = sizeOf(cidr);
  if (size === null || nodes <= size - kept) return null;
  return { needed: nodes, available: size - kept };
}

/** The same of the pods' network. */
export function tooFewForPods(nodes: number, cidr: string): Room | null {
  return tooFewFor(nodes * POD_ADDRESSES, cidr, 0);
}
