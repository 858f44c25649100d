import type { Denial } from "../../model/decision.ts";
import { EKS_SERVICES, isForEks } from "../../model/formats/eks-services.ts";
import { enclosingNetwork, type Ipv4Network, overlaps, parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import { isObject } from "../../model/json.ts";
import { table } from "../../model/table.ts";
import { denial } from "./denial.ts";
import { poolLimits, poolsOf } from "./read-request.ts";

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
/** The widest network of nodes on AWS (CreateVpc of the EC2 API: a VPC has /16 to /28). */
const WIDEST_VPC = 16;

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

/** Private networks of usual sizes (RFC 1918), to choose one that is free. */
const USUAL = ["10.64.0.0/14", "10.0.0.0/16", "172.20.0.0/16", "192.168.0.0/16", "10.128.0.0/12", "172.24.0.0/14"];

const assigned = (field: Network, cidr: string): string => `${field}: ${cidr}`;

/** The network of a prefix length around an address. */
const widened = (cidr: string, bits: number): string =>
  enclosingNetwork(`${cidr.split("/")[0] ?? ""}/${String(bits)}`) ?? cidr;

/** A network of this length, or a longer one if the usual network is longer. */
function cut(usual: string, bits: number): string {
  const { bits: least = bits } = parseIpv4Network(usual) ?? {};
  return widened(usual, Math.max(bits, least));
}

/** A network for a field that overlaps none of the others, as large as the user's if possible: of its default, or of another of the usual ones. */
function freeNetwork({ field, bits }: Range, others: readonly Range[], { widest, longest }: Prefixes): string {
  const wanted = Math.max(widest, Math.min(bits, longest));
  const fits = [DEFAULT_NETWORKS[field], ...USUAL]
    .map((usual) => cut(usual, wanted))
    .filter((cidr) => {
      const network = parseIpv4Network(cidr);
      return network !== null && network.bits <= longest && !others.some((other) => overlaps(network, other));
    });
  const free = fits.find((cidr) => parseIpv4Network(cidr)?.bits === wanted) ?? fits[0];
  return free === undefined
    ? "write a network that overlaps none of the others"
    : `write another network, e.g. ${assigned(field, free)}`;
}

function findOverlap(all: readonly Range[], prefixes: (field: Network) => Prefixes): Denial[] {
  for (const [index, one] of all.entries()) {
    const other = all.slice(index + 1).find((range) => overlaps(one, range));
    if (other === undefined) continue;
    const [wrong, right] = one.given ? [one, other] : [other, one];
    const where = { field: `spec.network.${wrong.field}`, actual: wrong.cidr };
    const others = all.filter((range) => range !== wrong);
    const correction = freeNetwork(wrong, others, prefixes(wrong.field));
    return [denial("ADM_CIDR_OVERLAP", where, { one: named(wrong), other: named(right), correction })];
  }
  return [];
}

/** The longest prefix whose network has this many addresses. */
const prefixFor = (addresses: number): number => 32 - Math.ceil(Math.log2(addresses));

type LongestPrefixes = Readonly<Record<Network, number>>;

/** The lengths of prefix that a network can have, as numbers of bits. */
interface Prefixes {
  widest: number;
  longest: number;
}

/** Whether the nodes' network can become a VPC: a cluster without a provider can be placed on AWS. */
const mayBeVpc = ({ provider = "aws" }: Fields, field: Network): boolean => provider === "aws" && field === "nodeCidr";

/** The widest network of nodes on AWS, where more nodes than a VPC has addresses are denied by the policy. */
const widestVpc = (longest: number): number => Math.min(WIDEST_VPC, longest);

/** The longest prefix of each network that has addresses for all nodes. */
const longestPrefixes = (nodes: number): LongestPrefixes => ({
  nodeCidr: Math.min(SMALLEST_NETWORK, prefixFor(nodes + KEPT_ADDRESSES)),
  podCidr: prefixFor(Math.max(1, nodes) * POD_ADDRESSES),
  serviceCidr: SMALLEST_NETWORK,
});

function tooWide(range: Range, { widest, longest }: Prefixes, isVpc: boolean): Denial {
  const where = { field: `spec.network.${range.field}`, actual: range.cidr, allowed: `/${String(widest)}` };
  const what = isVpc ? "a network of nodes on AWS" : "a network";
  const example = assigned(range.field, isVpc ? widened(range.cidr, widest) : DEFAULT_NETWORKS[range.field]);
  return denial("ADM_FIELDS", where, {
    detail: `${what} has a prefix of ${String(widest)} or more`,
    correction: `write a prefix length from ${String(widest)} to ${String(longest)}, e.g. ${example}`,
  });
}

function wrongSize(range: Range, longest: number, nodes: number, { provider }: Fields): Denial[] {
  const isVpc = provider === "aws" && range.field === "nodeCidr";
  const widest = isVpc ? widestVpc(longest) : WIDEST_NETWORK;
  const where = { field: `spec.network.${range.field}`, actual: range.cidr, allowed: `/${String(longest)}` };
  const example = assigned(range.field, widened(range.cidr, longest));
  if (range.bits > longest) return [denial("ADM_CIDR_SMALL", where, { nodes, example })];
  return range.bits >= widest ? [] : [tooWide(range, { widest, longest }, isVpc)];
}

const mostNodes = (spec: Fields): number => poolsOf(spec).reduce((sum, pool) => sum + poolLimits(pool).most, 0);

/** The denial of a range of services that EKS refuses; null for none. */
function beyondEks(all: readonly Range[]): Denial | null {
  const range = all.find(({ field }) => field === "serviceCidr");
  if (range === undefined || isForEks(range.cidr)) return null;
  const { widest, smallest, inside } = EKS_SERVICES;
  const [field, allowed] = ["spec.network.serviceCidr", `/${String(widest)} to /${String(smallest)}`];
  const others = all.filter((other) => other !== range);
  return denial(
    "ADM_FIELDS",
    { field, actual: range.cidr, allowed },
    {
      detail: `EKS takes a range of services of ${allowed} inside ${inside.join(", ")}`,
      correction: freeNetwork(range, others, { widest, longest: smallest }),
    },
  );
}

/** The denial of a network that AWS refuses, for a cluster whose places are all there; null if it takes all. */
export function beyondAws(spec: Fields): Denial | null {
  return beyondVpc(spec) ?? beyondEks(ranges(spec));
}

function beyondVpc(spec: Fields): Denial | null {
  const range = ranges(spec).find(({ field }) => field === "nodeCidr");
  const longest = longestPrefixes(mostNodes(spec)).nodeCidr;
  const widest = widestVpc(longest);
  return range === undefined || range.bits >= widest ? null : tooWide(range, { widest, longest }, true);
}

/** Problems of the networks of a cluster: overlaps, and sizes that do not fit its nodes or no provider takes. */
export function checkNetworks(spec: Fields): Denial[] {
  const all = ranges(spec);
  const nodes = mostNodes(spec);
  const longest = longestPrefixes(nodes);
  // Of a network that a denial names: one that every provider takes, unless the user names a provider.
  const prefixes = (field: Network): Prefixes => ({
    widest: mayBeVpc(spec, field) ? widestVpc(longest[field]) : WIDEST_NETWORK,
    longest: longest[field],
  });
  return [
    ...findOverlap(all, prefixes),
    ...all.flatMap((range) => wrongSize(range, longest[range.field], nodes, spec)),
  ];
}
