import { formatIpv4, type Ipv4Network, overlaps, parseIpv4Network } from "../../model/ipv4-network.ts";
import { sha256 } from "../../model/sha256.ts";

/** Elemento refuses networks that overlap, so a machine's own network is one /24 of 10.128.0.0/9 that nobody has. */
const NETWORKS = 32_768;
const FIRST_ADDRESS = (10 * 256 + 128) * 65_536;
const ADDRESSES = 256;

/** An address without a prefix length is a network of one address. */
const parse = (network: string): Ipv4Network | null =>
  parseIpv4Network(network.includes("/") ? network : `${network}/32`);

/** A network that overlaps none of `taken`: the same for the same uid, as long as that one is free. Null where none is. */
export function freeCidr(uid: string, taken: readonly string[]): string | null {
  const networks = taken.map(parse).filter((network) => network !== null);
  const start = Number.parseInt(sha256(uid).slice(0, 4), 16) % NETWORKS;
  for (let step = 0; step < NETWORKS; step += 1) {
    const first = FIRST_ADDRESS + ((start + step) % NETWORKS) * ADDRESSES;
    const own = { first, last: first + ADDRESSES - 1 };
    if (!networks.some((one) => overlaps(one, own))) return `${formatIpv4(first)}/24`;
  }
  return null;
}
