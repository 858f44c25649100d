import { parseIpv4Network } from "../../../model/formats/ipv4-network.ts";
import { isObject, textOf } from "../../../model/json.ts";
import type { Kind } from "../../../model/names.ts";
import { countryName } from "../../../model/places/find-area.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import type { Provider, WorkloadRequest } from "../../../model/workload.ts";
import type { DecisionRequest } from "../../types.ts";
import { nodesOf } from "../../check/upgrade-nodes.ts";
import { DEFAULT_NETWORKS, longestVpc, POD_ADDRESSES_ON_AWS, roomyVpc } from "../../check/network-sizes.ts";
import { poolsOf } from "../../check/read-request.ts";
import { warning } from "../../check/denial.ts";
import { note } from "../../../model/text/note-codes.ts";

type Fields = Record<string, unknown>;

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

/** A machine in a subnet of AWS, which is in one zone: that of the machine, whatever the decision says. */
function subnetWarnings({ network }: Fields): PolicyWarning[] {
  const { existing } = isObject(network) ? network : {};
  const subnet = isObject(existing) ? existing["subnet"] : undefined;
  if (subnet === undefined) return [];
  const message = `network.existing.subnet ${textOf(subnet)} decides the zone of the machine, whatever zone says: EC2 starts it in that of the subnet`;
  return [note("ZONE_OF_SUBNET", message)];
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

/** A pool of EKS that begins without nodes, where no other one has a node for the autoscaler: ACK brings none. */
function emptyWarnings(spec: Fields): PolicyWarning[] {
  const pools = poolsOf(spec);
  const isEmpty = ({ max, min = 0 }: Fields): boolean => max !== undefined && min === 0;
  if (pools.length === 0 || !pools.every(isEmpty)) return [];
  const names = pools.map(({ name }) => textOf(name)).join(", ");
  const [begins, pool] = pools.length === 1 ? ["begins", "the pool"] : ["begin", "one of the pools"];
  const message = `${names} ${begins} with 0 nodes, and an autoscaler, which is yours to install, needs a node: write min: 1 or more for ${pool}`;
  return [note("POOLS_EMPTY", message)];
}

/** The most IOPS of a premium disk of AWS, and those for each GiB, as the chart provisions them (charts/vmtemplate/templates/_disks.tpl). */
const IOPS = { most: 16_000, least: 100, perGiB: 50 };
const OS_DISK_GIB = 64;

/** Disks of AWS with provisioned IOPS, for which no field asks. */
function iopsWarnings({ osDisk, disks }: Fields): PolicyWarning[] {
  const own = isObject(osDisk) ? [{ name: "osDisk", ...osDisk }] : [];
  const all: Fields[] = [...own, ...(Array.isArray(disks) ? (disks as unknown[]).filter(isObject) : [])];
  const texts = all.flatMap(({ name, type, sizeGiB = OS_DISK_GIB }) => {
    const iops = Math.max(IOPS.least, Math.min(IOPS.most, IOPS.perGiB * Number(sizeGiB)));
    return type === "premium" ? [`${textOf(name)} ${String(iops)}`] : [];
  });
  if (texts.length === 0) return [];
  const message = `a premium disk is io2 on aws, whose provisioned IOPS are paid for next to its size: ${texts.join(", ")}; write type: balanced for gp3`;
  return [note("DISK_IOPS", message)];
}

function clusterWarnings(spec: Fields, provider: Provider): PolicyWarning[] {
  if (provider === "aws")
    return [warning("ADM_EKS_ACCESS", { field: "spec.provider" }), ...podWarnings(spec), ...emptyWarnings(spec)];
  return provider === "azure" ? [warning("ADM_AKS_ROLE", { field: "spec.network" })] : [];
}

/** The codes of countries that are those of states as well. */
const STATES = [
  ...["AL", "AR", "AZ", "CA", "CO", "DE", "GA", "ID", "IL", "IN", "KY", "LA", "MA"],
  ...["MD", "ME", "MN", "MO", "MS", "MT", "NC", "NE", "PA", "SC", "SD", "TN", "VA"],
];

/** Countries in the residency of an object that is used from the United States, where states may be meant. */
export function areaWarnings(
  { policy }: DecisionRequest,
  { origin, dataResidency: areas }: WorkloadRequest,
): PolicyWarning[] {
  const isInside = origin !== null && policy.catalog.places[origin]?.electricityZone?.startsWith("US") === true;
  if (!isInside || areas.includes("US")) return [];
  const texts = areas.filter((one) => STATES.includes(one)).map((one) => `${one} is ${countryName(one)}`);
  if (texts.length === 0) return [];
  const region = origin.split("/")[1] ?? "";
  const message = `dataResidency: ${texts.join(", ")}; states of the US cannot be named: write US if one is meant, or name a region, such as schedulingLocation: ${region}`;
  return [note("AREA_OF_COUNTRY", message)];
}

/** Values that are valid, and probably not intended at the provider that was chosen. */
export function providerWarnings(kind: Kind, spec: Fields, provider: Provider): PolicyWarning[] {
  if (kind === "KaasCluster") return clusterWarnings(spec, provider);
  return [
    ...(provider === "aws" ? [...iopsWarnings(spec), ...subnetWarnings(spec)] : []),
    ...outboundWarnings(spec, provider),
  ];
}
