import { LandfallError } from "../../errors.ts";

const toNumber = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

const toText = (address: number): string =>
  [24, 16, 8, 0].map((shift) => String(Math.floor(address / 2 ** shift) % 256)).join(".");

const CIDR = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/;

/**
 * First and last usable address of an IPv4 network, as Elemento's Go client reckons them: network + 1 and broadcast - 1.
 * Throws ELEMENTO_REFUSED where there is none.
 */
export function addressRange(cidr: string, operation: string): { first: string; last: string } {
  const [, address = "", bits = ""] = CIDR.exec(cidr) ?? [];
  const length = Number(bits);
  if (address === "" || length > 30 || address.split(".").some((part) => Number(part) > 255))
    throw new LandfallError("ELEMENTO_REFUSED", {
      operation,
      reason: "BadRequest",
      detail: `${cidr} is no IPv4 network with two addresses or more`,
    });
  const size = 2 ** (32 - length);
  const network = Math.floor(toNumber(address) / size) * size;
  return { first: toText(network + 1), last: toText(network + size - 2) };
}
