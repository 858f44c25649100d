import { LandfallError } from "../errors.ts";
import { isInside } from "../model/formats/eks-services.ts";
import { formatIpv4, overlaps, parseIpv4Network } from "../model/formats/ipv4-network.ts";
import { KAAS_DEFAULTS, POD_AND_SERVICE_RANGES } from "./defaults.ts";
import { isIpv4Network, KOPS_DEFAULTS } from "./kops-defaults.ts";

/** The part of a network with this index, if its prefix is longer by `moreBits`. */
function part(cidr: string, moreBits: number, index: number): string {
  const network = parseIpv4Network(cidr);
  if (network === null) return cidr;
  const bits = network.bits + moreBits;
  return `${formatIpv4(network.first + index * 2 ** (32 - bits))}/${String(bits)}`;
}

/** https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html */
export const WIDEST_VPC = 16;

/** The network, or its first part with a prefix of this length if it is wider. */
export function firstWithin(cidr: string, widest: number): string {
  const bits = parseIpv4Network(cidr)?.bits ?? widest;
  return bits < widest ? part(cidr, widest - bits, 0) : cidr;
}

/** The quarter of a network with this index; the chart for AWS divides networks in the same way. */
export const quarter = (cidr: string, index: number): string => part(cidr, 2, index);

/** The longest prefix of a subnet of AWS. */
const SMALLEST_SUBNET = 28;

/** Two halves of each quarter of a network: for nodes, and for what connects them to the outside. Throws KOPS_NETWORK. */
export function halvedQuarter(cidr: string, index: number): [string, string] {
  const halves: [string, string] = [part(cidr, 3, 2 * index), part(cidr, 3, 2 * index + 1)];
  if ((parseIpv4Network(halves[0])?.bits ?? 0) > SMALLEST_SUBNET) throw new LandfallError("KOPS_NETWORK", { cidr });
  return halves;
}

function overlap(one: string, other: string): boolean {
  const [a, b] = [parseIpv4Network(one), parseIpv4Network(other)];
  return a !== null && b !== null && overlaps(a, b);
}

/** kOps requires the range of pods and services to be outside the nodes' network. */
export const podAndServiceRange = (nodeCidr: string): string =>
  POD_AND_SERVICE_RANGES.find((range) => !overlap(range, nodeCidr)) ?? POD_AND_SERVICE_RANGES[0];

/**
 * kOps's range of pods and services if it contains the services, otherwise the services' own: kOps before 1.28 refuses services
 * outside it, and pods have addresses of the nodes' network.
 */
export const nonMasqueradeRange = (services: string): string =>
  isInside(services, KOPS_DEFAULTS.nonMasqueradeCIDR) ? KOPS_DEFAULTS.nonMasqueradeCIDR : services;

/**
 * The range of services: the given one, or the first default that does not overlap the nodes' network. kOps also takes
 * IPv6 and a range inside the nodes' network, which a KaasCluster cannot have.
 */
export function serviceRange(given: unknown, nodeCidr: string): string {
  const wanted = isIpv4Network(given) ? [given] : [];
  const ranges = [...wanted, KOPS_DEFAULTS.serviceClusterIPRange, KAAS_DEFAULTS.serviceCidr];
  return ranges.find((range) => !overlap(range, nodeCidr)) ?? KAAS_DEFAULTS.serviceCidr;
}
