import type { PatchOperation } from "../../model/decision.ts";
import { enclosingNetwork, parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import { isObject } from "../../model/json.ts";

export type Fields = Record<string, unknown>;

export const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** A problem of a field that the schema accepts. */
export interface FieldProblem {
  field: string;
  detail: string;
  /** The correction. */
  correction: string;
  /** Only if nothing else can be meant. */
  patch?: PatchOperation[];
}

/** An address and a prefix length without host bits. */
export const isNetwork = (cidr: string): boolean => parseIpv4Network(cidr)?.hostBits === false;

/** Host bits are the usual mistake: the network that holds the address is then known. */
export function noNetwork(field: string, cidr: string, example: string): FieldProblem {
  const network = enclosingNetwork(cidr);
  if (network !== null)
    return { field, detail: `${cidr} is an address in a network, and not the network`, correction: `write ${network}` };
  const correction = `write four numbers from 0 to 255 and a prefix length from 0 to 32, e.g. ${example}`;
  return { field, detail: `${cidr} is not an IPv4 network`, correction };
}
