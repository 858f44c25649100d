import { formatIpv4, overlaps, parseIpv4Network } from "../model/ipv4-network.ts";
import { POD_AND_SERVICE_RANGES } from "./defaults.ts";

/** The quarter of a network with this index; the chart for AWS divides networks in the same way. */
export function quarter(cidr: string, index: number): string {
  const network = parseIpv4Network(cidr);
  if (network === null) return cidr;
  const bits = network.bits + 2;
  return `${formatIpv4(network.first + index * 2 ** (32 - bits))}/${String(bits)}`;
}

function overlap(one: string, other: string): boolean {
  const [a, b] = [parseIpv4Network(one), parseIpv4Network(other)];
  return a !== null && b !== null && overlaps(a, b);
}

/** kOps requires the range of pods and services to be outside the nodes' network. */
export const podAndServiceRange = (nodeCidr: string): string =>
  POD_AND_SERVICE_RANGES.find((range) => !overlap(range, nodeCidr)) ?? POD_AND_SERVICE_RANGES[0];
