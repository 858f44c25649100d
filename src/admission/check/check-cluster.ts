import type { Denial } from "../../model/decision.ts";
import { type Ipv4Network, overlaps, parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import { isObject } from "../../model/json.ts";
import { denial, type DeniedField, shown } from "./denial.ts";
import { poolLimits, poolsOf } from "./read-request.ts";
import { isReservedName } from "../../model/names.ts";
import { table } from "../../model/table.ts";

type Fields = Record<string, unknown>;

/** The chart's defaults if the user sets no network (charts/kaas-cluster/templates/_network.tpl). */
const DEFAULT_NETWORKS = { nodeCidr: "10.0.0.0/16", podCidr: "10.64.0.0/14", serviceCidr: "172.20.0.0/16" } as const;
type Network = keyof typeof DEFAULT_NETWORKS;

/** Addresses that a provider reserves in the nodes' network: AWS and Azure reserve five per subnet, Google Cloud four. */
const KEPT_ADDRESSES = 5;
/** Azure and Google Cloud give every node a /24 of the pods' network. */
const POD_ADDRESSES = 256;
/** The smallest network of AWS, Azure and Elemento. */
const SMALLEST_NETWORK = 26;
const WIDEST_NETWORK = 8;

interface Range extends Ipv4Network {
  field: Network;
  cidr: string;
  given: boolean;
}

function readRange(field: Network, given: unknown): Range | null {
  const cidr = typeof given === "string" ? given : DEFAULT_NETWORKS[field];
  const network = parseIpv4Network(cidr);
  return network === null ? null : { ...network, field, cidr, given: given !== undefined };
}

/** Networks that the provider has none of, where the user fixes it: pods on AWS have addresses of the nodes. */
const WITHOUT: Readonly<Record<string, readonly Network[]>> = table({
  aws: ["podCidr"],
  elemento: ["podCidr", "serviceCidr"],
});

/** The networks of the cluster, with the chart's defaults; empty if one of them is invalid. */
function ranges(spec: Fields): Range[] {
  const network = isObject(spec["network"]) ? spec["network"] : {};
  const found = (["nodeCidr", "podCidr", "serviceCidr"] as const)
    .filter((field) => network[field] !== undefined || !WITHOUT[String(spec["provider"])]?.includes(field))
    .map((field) => readRange(field, network[field]));
  return found.every((range) => range !== null) ? found : [];
}

const named = ({ field, cidr, given }: Range): string =>
  `spec.network.${field} ${cidr}${given ? "" : " (the default)"}`;

function findOverlap(all: readonly Range[]): Denial[] {
  for (const [index, one] of all.entries()) {
    const other = all.slice(index + 1).find((range) => overlaps(one, range));
    if (other === undefined) continue;
    const [wrong, right] = one.given ? [one, other] : [other, one];
    const where = { field: `spec.network.${wrong.field}`, actual: wrong.cidr };
    return [denial("ADM_CIDR_OVERLAP", where, { one: named(wrong), other: named(right) })];
  }
  return [];
}

/** The longest prefix whose network has this many addresses. */
const prefixFor = (addresses: number): number => 32 - Math.ceil(Math.log2(addresses));

function tooWide(where: DeniedField): Denial {
  const least = String(WIDEST_NETWORK);
  const correction = `write a prefix length from ${least} to ${String(SMALLEST_NETWORK)}`;
  return denial("ADM_FIELDS", where, { detail: `a network has a prefix of ${least} or more`, correction });
}

function tooSmall(spec: Fields, all: readonly Range[]): Denial[] {
  const nodes = poolsOf(spec).reduce((sum, pool) => sum + poolLimits(pool).most, 0);
  const wanted: Partial<Record<Network, number>> = {
    nodeCidr: Math.min(SMALLEST_NETWORK, prefixFor(nodes + KEPT_ADDRESSES)),
    podCidr: prefixFor(Math.max(1, nodes) * POD_ADDRESSES),
    serviceCidr: SMALLEST_NETWORK,
  };
  return all.flatMap((range) => {
    const longest = wanted[range.field] ?? SMALLEST_NETWORK;
    const where = { field: `spec.network.${range.field}`, actual: range.cidr, allowed: `/${String(longest)}` };
    if (range.bits > longest) return [denial("ADM_CIDR_SMALL", where, { nodes })];
    return range.bits < WIDEST_NETWORK ? [tooWide(where)] : [];
  });
}

function sizeProblem({ count, min, max }: Fields): string | null {
  if (count !== undefined && (min !== undefined || max !== undefined)) return "has a count as well as min or max";
  if (min !== undefined && max === undefined) return "has a min and no max";
  return Number(max ?? 0) < Number(min ?? 0) ? `has max ${String(max)} below min ${String(min)}` : null;
}

function sizes(spec: Fields): Denial[] {
  return poolsOf(spec).flatMap((pool, index) => {
    const detail = sizeProblem(pool);
    const field = `spec.nodePools[${String(index)}]`;
    return detail === null ? [] : [denial("ADM_POOL_SIZE", { field }, { pool: String(pool["name"]), detail })];
  });
}

function twice(spec: Fields): Denial[] {
  const names = poolsOf(spec).map(({ name }) => String(name));
  const index = names.findIndex((name, at) => names.indexOf(name) !== at);
  const name = names[index];
  if (name === undefined) return [];
  return [denial("ADM_POOL_TWICE", { field: `spec.nodePools[${String(index)}].name`, actual: name })];
}

function reservedName(field: string, [key, value]: [string, unknown]): Denial[] {
  if (!isReservedName(key)) return [];
  const name = key.split("/")[1] ?? key;
  const instead = value === "" || value === undefined ? `role: ${name}` : `${name}: ${shown(value)}`;
  const detail = `${key} is reserved for Kubernetes, so that nodes or their provider refuse it`;
  return [denial("ADM_FIELDS", { field }, { detail, correction: `write a name of your own, e.g. ${instead}` })];
}

/** Only EKS refuses such taints. */
const refusesTaints = ({ provider = "aws" }: Fields): boolean => provider === "aws";

function reservedNames(spec: Fields): Denial[] {
  return poolsOf(spec).flatMap(({ labels, taints }, index) => {
    const field = `spec.nodePools[${String(index)}]`;
    const keys = isObject(labels) ? Object.entries(labels) : [];
    const tainted: unknown[] = Array.isArray(taints) && refusesTaints(spec) ? taints : [];
    return [
      ...keys.flatMap((entry) => reservedName(`${field}.labels`, entry)),
      ...tainted.filter(isObject).flatMap(({ key }) => reservedTaint(`${field}.taints`, String(key))),
    ];
  });
}

/** Kubernetes takes one taint for each key and effect. */
function repeatedTaints(spec: Fields): Denial[] {
  return poolsOf(spec).flatMap(({ taints }, index) => {
    const ids = (Array.isArray(taints) ? (taints as unknown[]) : [])
      .filter(isObject)
      .map(({ key, effect }) => `${String(key)} with the effect ${String(effect)}`);
    const repeated = ids.find((id, at) => ids.indexOf(id) !== at);
    if (repeated === undefined) return [];
    const detail = `there is more than one taint ${repeated}, of which a node takes one`;
    const field = `spec.nodePools[${String(index)}].taints`;
    return [denial("ADM_FIELDS", { field }, { detail, correction: "write one of them, or another effect" })];
  });
}

function reservedTaint(field: string, key: string): Denial[] {
  if (!isReservedName(key)) return [];
  const detail = `${key} is reserved for Kubernetes, and EKS refuses it`;
  const correction = `write a key of your own, e.g. key: ${key.split("/")[1] ?? "gpu"}, or another provider than aws`;
  return [denial("ADM_FIELDS", { field }, { detail, correction })];
}

/** Checks of a cluster's spec that JSON Schema cannot express. */
export function checkCluster(spec: Fields): Denial[] {
  const all = ranges(spec);
  return [
    ...reservedNames(spec),
    ...repeatedTaints(spec),
    ...twice(spec),
    ...sizes(spec),
    ...findOverlap(all),
    ...tooSmall(spec, all),
  ];
}

/** Types that the user sets must cover every pool and no other: missing ones would never be filled in. */
export function checkPoolTypes(spec: Fields): Denial[] {
  const types = spec["poolInstanceTypes"];
  if (!isObject(types)) return [];
  const pools = poolsOf(spec).map(({ name }) => String(name));
  const missing = pools.find((name) => types[name] === undefined);
  const foreign = Object.keys(types).find((name) => !pools.includes(name));
  const detail =
    missing !== undefined
      ? `has no type for pool ${missing}`
      : foreign === undefined
        ? null
        : `there is no pool ${foreign}`;
  return detail === null ? [] : [denial("ADM_POOL_TYPES", { field: "spec.poolInstanceTypes" }, { detail })];
}
