import { parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import { isObject, textOf } from "../../model/json.ts";
import type { PolicyWarning } from "../../model/policy.ts";
import { warning } from "./denial.ts";

/** Networks without a public owner: RFC 1918, RFC 6598 and RFC 2544. */
const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15"].flatMap(
  (cidr) => parseIpv4Network(cidr) ?? [],
);

const EXAMPLES = {
  cidr: "10.0.0.0/16",
  nodeCidr: "10.0.0.0/16",
  podCidr: "10.64.0.0/14",
  serviceCidr: "172.20.0.0/16",
};

/** Networks of addresses that others have in the internet: from inside, those cannot be reached. */
export function networkWarnings({ network }: Record<string, unknown>): PolicyWarning[] {
  if (!isObject(network)) return [];
  return Object.entries(EXAMPLES).flatMap(([field, example]) => {
    const cidr = network[field];
    const range = typeof cidr === "string" ? parseIpv4Network(cidr) : null;
    if (range === null || PRIVATE.some((one) => one.first <= range.first && range.last <= one.last)) return [];
    return [
      warning("ADM_CIDR_PUBLIC", {
        field: `spec.network.${field}`,
        actual: textOf(cidr),
        allowed: `${field}: ${example}`,
      }),
    ];
  });
}
