import { POD_AND_SERVICE_RANGES } from "./defaults.ts";

interface Range {
  first: number;
  bits: number;
}

function readCidr(cidr: string): Range {
  const [address = "", length = ""] = cidr.split("/");
  const first = address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
  return { first, bits: Number(length) };
}

const size = (bits: number): number => 2 ** (32 - bits);

const address = (value: number): string =>
  [2 ** 24, 2 ** 16, 2 ** 8, 1].map((unit) => String(Math.floor(value / unit) % 256)).join(".");

/** The quarter of a network with this index, as the chart for AWS cuts it. */
export function quarter(cidr: string, index: number): string {
  const { first, bits } = readCidr(cidr);
  return `${address(first + index * size(bits + 2))}/${String(bits + 2)}`;
}

function overlap(one: string, other: string): boolean {
  const [a, b] = [readCidr(one), readCidr(other)];
  return a.first < b.first + size(b.bits) && b.first < a.first + size(a.bits);
}

/** kOps wants the range of its pods and services outside the nodes' network. */
export const podAndServiceRange = (nodeCidr: string): string =>
  POD_AND_SERVICE_RANGES.find((range) => !overlap(range, nodeCidr)) ?? POD_AND_SERVICE_RANGES[0];
