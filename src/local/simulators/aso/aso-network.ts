import { overlaps, parseIpv4Network } from "../../../model/formats/ipv4-network.ts";
import { textOf } from "../../../model/json.ts";
import { textAt, valueAt } from "../fields.ts";
import type { Lookup, Refusal, Resource } from "../types.ts";

// Azure's answers to rules of a network security group, and AKS's to a cluster's networks and names. docs/internals/operators.md has the sources.

function doOverlap(one: string, other: string): boolean {
  const [first, second] = [parseIpv4Network(one), parseIpv4Network(other)];
  return first !== null && second !== null && overlaps(first, second);
}

/** The shortest prefix of AKS's range of services. */
const WIDEST_SERVICES = 12;

/** AKS takes no range of services wider than this. Its words are assumed. */
export function servicesRefusal({ spec }: Resource): Refusal | null {
  const cidr = textAt(spec, "networkProfile.serviceCidr");
  const { bits } = (cidr === null ? null : parseIpv4Network(cidr)) ?? { bits: WIDEST_SERVICES };
  if (bits >= WIDEST_SERVICES) return null;
  const message = `The value of parameter networkProfile.serviceCidr is invalid: ${String(cidr)} is larger than /${String(WIDEST_SERVICES)}.`;
  return { code: "InvalidParameter", message, terminal: true };
}

/** Azure's own address, which no virtual network has. */
const OWN_ADDRESS = "168.63.129.16/32";

/** The code and the words are assumed. */
export function networkRefusal({ spec }: Resource): Refusal | null {
  const found = valueAt(spec, "addressSpace.addressPrefixes");
  const prefixes = Array.isArray(found) ? found.map(textOf) : [];
  const wrong = prefixes.find((prefix) => doOverlap(prefix, OWN_ADDRESS));
  if (wrong === undefined) return null;
  const message = `Address prefix ${wrong} overlaps with the address prefix ${OWN_ADDRESS}, which is reserved.`;
  return { code: "InvalidAddressPrefix", message, terminal: true };
}

/** Most characters of the name of a cluster's node resource group. */
const LONGEST_GROUP = 80;

/** AKS names the resource group of the nodes itself where a cluster names none, and takes no longer name. The code is assumed. */
export function nodeGroupRefusal({ spec, metadata }: Resource, lookup: Lookup): Refusal | null {
  const owner = textAt(spec, "owner.name") ?? "";
  const group = lookup({
    group: "resources.azure.com",
    kind: "ResourceGroup",
    namespace: metadata.namespace,
    name: owner,
  });
  const parts = [textAt(group?.spec, "azureName") ?? owner, textAt(spec, "azureName") ?? metadata.name];
  const name = textAt(spec, "nodeResourceGroup") ?? ["MC", ...parts, textAt(spec, "location") ?? ""].join("_");
  if (name.length <= LONGEST_GROUP) return null;
  const message = `The length of the node resource group name is too long. The maximum length is ${String(LONGEST_GROUP)} and the length of the value provided is ${String(name.length)}.`;
  return { code: "InvalidParameter", message, terminal: true };
}

/** Azure takes no networks in a rule that have addresses in common. */
export function securityRuleRefusal({ spec, metadata: { name } }: Resource): Refusal | null {
  const found = spec["sourceAddressPrefixes"];
  const prefixes = Array.isArray(found) ? found.map(textOf) : [];
  const shared = prefixes.filter((one, at) => prefixes.some((other, index) => index !== at && doOverlap(one, other)));
  if (shared.length === 0) return null;
  const message = `Security rule parameter SourceAddressPrefix for rule with Id ${name} contains overlapping subnets [${shared.join(", ")}], which is not permitted.`;
  return { code: "OverlappingSubnetsNotPermittedInSecurityRule", message, terminal: true };
}
