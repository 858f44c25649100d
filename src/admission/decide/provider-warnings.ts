import { isObject } from "../../model/json.ts";
import type { Kind } from "../../model/names.ts";
import type { PolicyWarning } from "../../model/policy.ts";
import type { Provider } from "../../model/workload.ts";
import { rulesOf } from "../check/check-ports.ts";
import { warning } from "../check/denial.ts";

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

/** Values that are valid, and probably not intended at the provider that was chosen. */
export function providerWarnings(kind: Kind, spec: Fields, provider: Provider): PolicyWarning[] {
  if (kind === "KaasCluster") return provider === "azure" ? [warning("ADM_AKS_ROLE", { field: "spec.network" })] : [];
  return [...(provider === "aws" ? ruleWarnings(spec) : []), ...outboundWarnings(spec, provider)];
}
