import { enclosingNetwork, netmaskBits } from "../../formats/ipv4-network.ts";
import { accepts, type Reading, type SchemaNode, surely } from "../schema-node.ts";

const LONGEST_PREFIX = 32;

/** The network around an address that the field takes, of this prefix length or the nearest one: a wider one first. */
function around(node: SchemaNode, address: string, bits: number): string | undefined {
  const lengths = Array.from({ length: LONGEST_PREFIX + 1 }, (_, length) => length);
  const wider = lengths.filter((length) => length <= bits).toReversed();
  const narrower = lengths.filter((length) => length > bits);
  return [...wider, ...narrower]
    .flatMap((length) => enclosingNetwork(`${address}/${String(length)}`) ?? [])
    .find((network) => accepts(node, network));
}

/** The prefix length that an address without one has: its zeros stand for addresses. */
const impliedBits = (address: string): number =>
  address.endsWith(".0.0") ? 16 : address.endsWith(".0") ? 24 : LONGEST_PREFIX;

function withLength(node: SchemaNode, address: string, length: string): Reading | null {
  const mask = netmaskBits(length);
  const bits = mask ?? Number(length);
  const value = around(node, address, bits > LONGEST_PREFIX ? impliedBits(address) : bits);
  if (value === undefined) return null;
  const problem =
    mask !== null
      ? "has a netmask, and not a prefix length"
      : value.endsWith(`/${length}`)
        ? "is an address in a network, and not the network"
        : `has the prefix length ${length}`;
  return { problem, value };
}

const ADDRESS = String.raw`((?:\d{1,3}\.){3}\d{1,3})`;
const WRITTEN = new RegExp(String.raw`^${ADDRESS}(?: ?/ ?([\d.]{1,15}))?$`);
const SPAN = new RegExp(`^${ADDRESS} ?- ?${ADDRESS}$`);

/** `10.0.0.0-10.0.255.255`: the smallest network that holds both addresses, if the field takes it. */
function readSpan(node: SchemaNode, first: string, last: string): Reading {
  const bits = Array.from({ length: LONGEST_PREFIX + 1 }, (_, index) => LONGEST_PREFIX - index).find(
    (length) => enclosingNetwork(`${first}/${String(length)}`) === enclosingNetwork(`${last}/${String(length)}`),
  );
  const value = around(node, first, bits ?? 0);
  return { problem: "is a range of addresses", ...(value !== undefined && { value }) };
}

/** All addresses. */
const ALL = "0.0.0.0/0";

/** Of all addresses, those of IPv4 are the counterpart. */
const ofVersion6 = (node: SchemaNode, text: string): Reading => ({
  problem: "is an IPv6 address, and only IPv4 is possible",
  ...(text.trim() === "::/0" && accepts(node, ALL) && { value: ALL }),
});

/** An address without a prefix length, with a netmask or with a length that the field does not take. */
export function readNetwork(node: SchemaNode, text: string): Reading | null {
  if (text.includes(":")) return ofVersion6(node, text);
  const trimmed = text.trim();
  if (trimmed === "0.0.0.0") return surely(ALL, "has no prefix length");
  const [, first, last] = SPAN.exec(trimmed) ?? [];
  if (first !== undefined && last !== undefined) return readSpan(node, first, last);
  const [, address, length] = WRITTEN.exec(trimmed) ?? [];
  if (address === undefined) return null;
  if (length !== undefined) return withLength(node, address, length);
  const value = around(node, address, impliedBits(address));
  return value === undefined ? null : { problem: "has no prefix length", value };
}
