import type { Denial } from "../../model/decision.ts";
import { EKS_SERVICES, isForEks } from "../../model/formats/eks-services.ts";
import { enclosingNetwork, type Ipv4Network, overlaps, parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import { isObject, textOf } from "../../model/json.ts";
import {
  DEFAULT_NETWORKS,
  longestPrefixes,
  type Network,
  nodesWithout,
  roomyVpc,
  WIDEST_VPC,
} from "./network-sizes.ts";
import { table } from "../../model/table.ts";
import { denial } from "./denial.ts";

type Fields = Record<string, unknown>;

const WIDEST_NETWORK = 8;
/**
 * AKS (https://learn.microsoft.com/azure/aks/azure-cni-overview: smaller than /12) and EKS take no wider range of services, nor do clusters
 * before Kubernetes 1.34 (kube-apiserver, `validateClusterIPFlags`: at most 20 bits).
 */
const WIDEST_SERVICES = 12;

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
    .filter((field) => network[field] !== undefined || !WITHOUT[textOf(spec["provider"])]?.includes(field))
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

/** A network that overlaps none of the others, as large as this one if possible: of its field's default, or of another of the usual ones. Null if there is none. */
function freeNetwork({ field, bits }: Range, others: readonly Range[], { widest, longest }: Prefixes): string | null {
  const wanted = Math.max(widest, Math.min(bits, longest));
  const fits = [DEFAULT_NETWORKS[field], ...USUAL]
    .map((usual) => cut(usual, wanted))
    .filter((cidr) => {
      const network = parseIpv4Network(cidr);
      return network !== null && network.bits <= longest && isFree(network, others);
    });
  return fits.find((cidr) => parseIpv4Network(cidr)?.bits === wanted) ?? fits[0] ?? null;
}

/** The networks but one. */
const without = (all: readonly Range[], range: Range): Range[] => all.filter((one) => one !== range);

const isFree = (network: Ipv4Network, others: readonly Range[]): boolean =>
  !others.some((other) => overlaps(network, other));

/** A denial, and the network that it says to write instead. `changed`: the network that it replaces, if it is another one. */
interface Problem {
  denial: Denial;
  instead: string | null;
  changed?: Range;
}

const anotherText = (field: Network, free: string | null): string =>
  free === null
    ? "write a network that overlaps none of the others"
    : `write another network, e.g. ${assigned(field, free)}`;

/** A network with another prefix length: around the same addresses, or elsewhere where those belong to another network too. */
function resized(range: Range, bits: number, others: readonly Range[], prefixes: Prefixes): string {
  const near = widened(range.cidr, bits);
  const network = parseIpv4Network(near);
  const isNear = network !== null && isFree(network, others);
  return isNear ? near : (freeNetwork({ ...range, bits }, others, prefixes) ?? near);
}

/** The problem of a network that overlaps another one; null if it does not, or if the other one is to be changed. */
function overlapping(range: Range, others: readonly Range[], prefixes: Prefixes): Problem | null {
  const other = range.given ? others.find((one) => overlaps(one, range)) : undefined;
  if (other === undefined) return null;
  // Other networks know that of the nodes: the default, which no user chose, is changed.
  if (range.field === "nodeCidr" && !other.given) return defaultOverlaps(range, other, others);
  const where = { field: `spec.network.${range.field}`, actual: range.cidr };
  const instead = freeNetwork(range, others, prefixes);
  const params = { one: named(range), other: named(other), correction: anotherText(range.field, instead) };
  return { denial: denial("ADM_CIDR_OVERLAP", where, params), instead };
}

/** The problem of the nodes' network that overlaps the default of another one. */
function defaultOverlaps(nodes: Range, other: Range, others: readonly Range[]): Problem {
  const where = { field: `spec.network.${other.field}`, actual: other.cidr };
  const all = [nodes, ...without(others, other)];
  const instead = freeNetwork(other, all, { widest: WIDEST_SERVICES, longest: other.bits });
  const params = { one: named(nodes), other: named(other), correction: anotherText(other.field, instead) };
  return { denial: denial("ADM_CIDR_OVERLAP", where, params), instead, changed: other };
}

/** The lengths of prefix that a network can have, as numbers of bits. */
interface Prefixes {
  widest: number;
  longest: number;
}

/** Whether the nodes' network can become a VPC: a cluster without a provider can be placed on AWS. */
const mayBeVpc = ({ provider = "aws" }: Fields, field: Network): boolean => provider === "aws" && field === "nodeCidr";

/** The widest network of nodes on AWS, where more nodes than a VPC has addresses are denied by the policy. */
const widestVpc = (longest: number): number => Math.min(WIDEST_VPC, longest);

/** The widest network of a field that is not to become a VPC. For EKS, `beyondEks` says more. */
const widestOf = ({ provider }: Fields, field: Network): number =>
  field === "serviceCidr" && provider !== "aws" ? WIDEST_SERVICES : WIDEST_NETWORK;

function tooWide(range: Range, others: readonly Range[], { widest, longest }: Prefixes, isVpc: boolean): Problem {
  const where = { field: `spec.network.${range.field}`, actual: range.cidr, allowed: `/${String(widest)}` };
  const what = isVpc
    ? "a network of nodes on AWS"
    : range.field === "serviceCidr"
      ? "a range of services"
      : "a network";
  const { bits = widest } = parseIpv4Network(DEFAULT_NETWORKS[range.field]) ?? {};
  const prefixes = { widest, longest };
  const usual = freeNetwork({ ...range, bits }, others, prefixes) ?? DEFAULT_NETWORKS[range.field];
  const instead = isVpc ? resized(range, widest, others, prefixes) : usual;
  const made = denial("ADM_FIELDS", where, {
    detail: `${what} has a prefix of ${String(widest)} or more`,
    correction: `write a prefix length from ${String(widest)} to ${String(longest)}, e.g. ${assigned(range.field, instead)}`,
  });
  return { denial: made, instead };
}

function wrongSize(range: Range, others: readonly Range[], spec: Fields): Problem | null {
  const longest = longestPrefixes(spec)[range.field];
  const isVpc = spec["provider"] === "aws" && range.field === "nodeCidr";
  const widest = isVpc ? widestVpc(longest) : widestOf(spec, range.field);
  if (range.bits >= widest && range.bits <= longest) return null;
  if (range.bits < widest) return tooWide(range, others, { widest, longest }, isVpc);
  const where = { field: `spec.network.${range.field}`, actual: range.cidr, allowed: `/${String(longest)}` };
  // On AWS pods have addresses of this network, too: a smaller one would earn a warning.
  const roomy = isVpc ? Math.min(longest, roomyVpc(spec)) : longest;
  const instead = resized(range, roomy, others, { widest, longest });
  const params = { nodes: nodesWithout(range, spec), example: assigned(range.field, instead) };
  return { denial: denial("ADM_CIDR_SMALL", where, params), instead };
}

/** The denial of a range of services that EKS refuses; null for none. */
function beyondEks(all: readonly Range[]): Denial | null {
  const range = all.find(({ field }) => field === "serviceCidr");
  if (range === undefined || isForEks(range.cidr)) return null;
  const { widest, smallest, inside } = EKS_SERVICES;
  const [field, allowed] = ["spec.network.serviceCidr", `/${String(widest)} to /${String(smallest)}`];
  const free = freeNetwork(range, without(all, range), { widest, longest: smallest });
  return denial(
    "ADM_FIELDS",
    { field, actual: range.cidr, allowed },
    {
      detail: `EKS takes a range of services of ${allowed} inside ${inside.join(", ")}`,
      correction: anotherText("serviceCidr", free),
    },
  );
}

/** The denial of a network that AWS refuses, for a cluster whose places are all there; null if it takes all. */
export function beyondAws(spec: Fields): Denial | null {
  return beyondVpc(spec) ?? beyondEks(ranges(spec));
}

function beyondVpc(spec: Fields): Denial | null {
  const all = ranges(spec);
  const range = all.find(({ field }) => field === "nodeCidr");
  return range === undefined
    ? null
    : (wrongSize(range, without(all, range), { ...spec, provider: "aws" })?.denial ?? null);
}

/** The network that alone is to be changed where several overlap: without it, none do. One that is refused anyway comes first; that of the nodes stays if possible, because other networks know it. */
function onlyWrong(all: readonly Range[], refused: readonly string[]): Range | undefined {
  const isClear = (some: readonly Range[]): boolean => some.every((one) => isFree(one, without(some, one)));
  const clearing = isClear(all) ? [] : all.toReversed().filter((one) => one.given && isClear(without(all, one)));
  return clearing.find(({ field }) => refused.includes(`spec.network.${field}`)) ?? clearing[0];
}

/**
 * Problems of the networks of a cluster, one for each: overlaps, and sizes that do not fit its nodes or no provider takes. Who follows all
 * of them has networks that do not overlap: each is chosen so that it overlaps none of those reported before it. A network that the provider
 * has none of is to be omitted.
 */
export function checkNetworks(spec: Fields, refused: readonly string[]): Denial[] {
  const longest = longestPrefixes(spec);
  // Of a network that a denial names: one that every provider takes, unless the user names a provider.
  const prefixes = (field: Network): Prefixes => ({
    widest: mayBeVpc(spec, field) ? widestVpc(longest[field]) : widestOf(spec, field),
    longest: longest[field],
  });
  const given = ranges(spec);
  const omitted = given.filter(({ field }) => WITHOUT[textOf(spec["provider"])]?.includes(field));
  let all = given.filter((one) => !omitted.includes(one));
  const useless = omitted.flatMap((range) => {
    const found =
      wrongSize(range, without(given, range), spec) ?? overlapping(range, without(given, range), prefixes(range.field));
    return found === null
      ? []
      : [{ ...found.denial, remedy: `omit ${range.field}: ${textOf(spec["provider"])} takes none` }];
  });
  const wrong = all.flatMap((range) => {
    const others = without(all, range);
    const { field = range.field } = onlyWrong(all, refused) ?? {};
    const found =
      wrongSize(range, others, spec) ??
      (field === range.field ? overlapping(range, others, prefixes(range.field)) : null);
    if (found === null) return [];
    const { changed = range } = found;
    const instead = found.instead === null ? null : readRange(changed.field, found.instead);
    if (instead !== null) all = all.map((one) => (one === changed ? instead : one));
    return [found.denial];
  });
  return [...wrong, ...useless];
}
