import ipaddr from "ipaddr.js";

/** Addresses are numbers from 0 to 2^32 - 1. */
export interface Ipv4Network {
  first: number;
  last: number;
  /** Length of the prefix. */
  bits: number;
  /** Whether the given address has bits set after the prefix. */
  hostBits: boolean;
}

const toNumber = (bytes: readonly number[]): number => bytes.reduce((sum, byte) => sum * 256 + byte, 0);

/** Reads `10.0.0.0/16`. Null for anything that is not four decimal parts and a prefix length. */
export function parseIpv4Network(cidr: string): Ipv4Network | null {
  if (!ipaddr.IPv4.isValidCIDRFourPartDecimal(cidr)) return null;
  const [address, bits] = ipaddr.IPv4.parseCIDR(cidr);
  const first = toNumber(ipaddr.IPv4.networkAddressFromCIDR(cidr).octets);
  const last = toNumber(ipaddr.IPv4.broadcastAddressFromCIDR(cidr).octets);
  return { first, last, bits, hostBits: toNumber(address.octets) !== first };
}

type Span = Pick<Ipv4Network, "first" | "last">;

export const overlaps = (one: Span, other: Span): boolean => one.first <= other.last && other.first <= one.last;

export const formatIpv4 = (address: number): string =>
  new ipaddr.IPv4([24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff)).toString();

/** The network of an address with host bits: 10.0.0.0/8 for `10.0.0.1/8`. Null if the text is not an address with a prefix length. */
export function enclosingNetwork(cidr: string): string | null {
  const network = parseIpv4Network(cidr);
  return network === null ? null : `${formatIpv4(network.first)}/${String(network.bits)}`;
}

/** The prefix length of a netmask: 16 for `255.255.0.0`. Null if the text is none. */
export const netmaskBits = (text: string): number | null =>
  ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text).prefixLengthFromSubnetMask() : null;
