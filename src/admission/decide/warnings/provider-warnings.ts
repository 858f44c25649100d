import { parseIpv4Network } from "../../../model/formats/ipv4-network.ts";
import { isObject, textOf } from "../../../model/json.ts";
import type { Kind } from "../../../model/names.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import type { Provider } from "../../../model/workload.ts";
import { rulesOf } from "../../check/check-ports.ts";
import { nodesOf } from "../../check/upgrade-nodes.ts";
import { DEFAULT_NETWORKS, longestVpc, POD_ADDRESSES_ON_AWS, roomyVpc } from "../../check/network-sizes.ts";
import { warning } from "../../check/denial.ts";

type Fields = Record<string, unknown>;

/** Rules of a security group, by default (Amazon VPC quotas): one for each entry and network. */
const SECURITY_RULES = 60;

/** More rules than the machine's own group has at EC2. */
function ruleWarnings({ ports }: Fields): PolicyWarning[] {
  const rules = (Array.isArray(ports) ? ports.filter(isObject) : []).flatMap(rulesOf).length;
  return rules <= SECURITY_RULES ? [] : [warning("ADM_SECURITY_RULES", { field: "spec.ports", actual: rules })];
}

/**
 * Providers whose own networks have no NAT, so that a machine without a public address reaches no other network
 * (https://docs.aws.amazon.com/vpc/latest/userguide/VPC_Internet_Gateway.html, https://cloud.google.com/vpc/docs/vpc#internet_access_reqs). Azure gives
 * such machines a way out.
 */
const WITHOUT_NAT: readonly Provider[] = ["aws", "gcp"];

/** User data of a machine that can download nothing. */
function outboundWarnings({ userData, network }: Fields, provider: Provider): PolicyWarning[] {
  const { publicIP, existing } = isObject(network) ? network : {};
  const isAlone = publicIP !== true && existing === undefined;
  return userData !== undefined && isAlone && WITHOUT_NAT.includes(provider)
    ? [warning("ADM_NO_INTERNET", { field: "spec.userData", provider })]
    : [];
}

/** A network of an EKS cluster with an address for each of its nodes, and too few for their pods. */
function podWarnings(spec: Fields): PolicyWarning[] {
  const { nodeCidr = DEFAULT_NETWORKS.nodeCidr } = isObject(spec["network"]) ? spec["network"] : {};
  const { most } = nodesOf(spec);
  const longest = longestVpc(spec, most, POD_ADDRESSES_ON_AWS);
  const { bits = longest } = parseIpv4Network(textOf(nodeCidr)) ?? {};
  if (bits <= longest) return [];
  const allowed = `/${String(roomyVpc(spec))}`;
  const params = {
    field: "spec.network.nodeCidr",
    actual: textOf(nodeCidr),
    allowed,
    nodes: most,
    each: POD_ADDRESSES_ON_AWS,
  };
  return [warning("ADM_POD_ADDRESSES", params)];
}

function clusterWarnings(spec: Fields, provider: Provider): PolicyWarning[] {
  if (provider === "aws") return [warning("ADM_EKS_ACCESS", { field: "spec.provider" }), ...podWarnings(spec)];
  return provider === "azure" ? [warning("ADM_AKS_ROLE", { field: "spec.network" })] : [];
}

/** Values that are valid, and probably not intended at the provider that was chosen. */
export function providerWarnings(kind: Kind, spec: Fields, provider: Provider): PolicyWarning[] {
  if (kind === "KaasCluster") return clusterWarnings(spec, provider);
  return [...(provider === "aws" ? ruleWarnings(spec) : []), ...outboundWarnings(spec, provider)];
}
