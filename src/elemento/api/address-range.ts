import { LandfallError } from "../../errors.ts";
import { formatIpv4, parseIpv4Network } from "../../model/formats/ipv4-network.ts";

/**
 * First and last usable address of an IPv4 network, calculated as in Elemento's Go client: network + 1 and broadcast -
 * 1. Throws ELEMENTO_REFUSED if the network has none.
 */
export function addressRange(cidr: string, operation: string): { first: string; last: string } {
  const network = parseIpv4Network(cidr);
  if (network === null || network.bits > 30)
    throw new LandfallError("ELEMENTO_REFUSED", {
      operation,
      reason: "BadRequest",
      detail: `${cidr} is not an IPv4 network with two addresses or more`,
    });
  return { first: formatIpv4(network.first + 1), last: formatIpv4(network.last - 1) };
}
