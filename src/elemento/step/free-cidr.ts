import { createHash } from "node:crypto";

/** Elemento refuses networks that overlap, so a machine's own network is one /24 of 10.128.0.0/9 that nobody has. */
const NETWORKS = 32_768;

const numberOf = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

/** First and last address. */
function spanOf(cidr: string): [first: number, last: number] {
  const [address = "", prefix = "32"] = cidr.split("/");
  const size = 2 ** (32 - Number(prefix));
  const first = Math.floor(numberOf(address) / size) * size;
  return [first, first + size - 1];
}

/** A network that overlaps none of `taken`: the same for the same uid, as long as that one is free. Null where none is. */
export function freeCidr(uid: string, taken: readonly string[]): string | null {
  const spans = taken.map(spanOf);
  const start = createHash("sha256").update(uid).digest().readUInt16BE(0) % NETWORKS;
  for (let step = 0; step < NETWORKS; step += 1) {
    const index = (start + step) % NETWORKS;
    const cidr = `10.${String(128 + (index >> 8))}.${String(index & 255)}.0/24`;
    const [first, last] = spanOf(cidr);
    if (!spans.some(([from, to]) => from <= last && to >= first)) return cidr;
  }
  return null;
}
