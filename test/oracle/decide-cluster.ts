import type { ClusterAnswer, ClusterPlace, ClusterRequest, OraclePool } from "./cluster-request.ts";
import { expected, lacking, poolType, sellsGpus, versionOf, zonesOf, zonesWith } from "./cluster-rules.ts";
import { generalCodes, narrow, pinned } from "./decide-vm.ts";
import { type Place, places } from "./catalog.ts";
import type { OracleRequest } from "./request.ts";
import { preferNear, type Rule, rulesOf } from "./rules.ts";

/** The cluster as a minimal machine, for the rules that select places. */
const asMachine = ({ spec, annotations, nowSeconds }: ClusterRequest): OracleRequest => ({
  spec: { ...spec, cpu: 1, memory: 1, network: {} },
  annotations,
  nowSeconds,
});

/** The networks of a cluster whose provider is fixed; on AWS, pods have addresses of the nodes. */
function networksOf({ provider, network = {} }: ClusterRequest["spec"]): (string | undefined)[] {
  const { nodeCidr = "10.0.0.0/16", podCidr, serviceCidr } = network;
  const isOwn = provider !== "aws" && provider !== "elemento";
  const services = provider === "elemento" ? serviceCidr : (serviceCidr ?? "172.20.0.0/16");
  return [nodeCidr, isOwn ? (podCidr ?? "10.64.0.0/14") : podCidr, services];
}

function shapeCodes(spec: ClusterRequest["spec"]): string[] {
  const { nodePools } = spec;
  const codes: string[] = [];
  if (new Set(nodePools.map(({ name }) => name)).size < nodePools.length) codes.push("ADM_POOL_TWICE");
  const wrong = ({ count, min, max }: OraclePool): boolean =>
    (count !== undefined && (min ?? max) !== undefined) || (min !== undefined && (max === undefined || max < min));
  if (nodePools.some(wrong)) codes.push("ADM_POOL_SIZE");
  const [nodeCidr = "", podCidr] = networksOf(spec);
  const all = networksOf(spec).flatMap((cidr) => (cidr === undefined ? [] : [bitsOf(cidr)]));
  if (all.some((one, index) => all.some((other, at) => at > index && (one.startsWith(other) || other.startsWith(one)))))
    codes.push("ADM_CIDR_OVERLAP");
  const nodes = nodePools.reduce((sum, pool) => sum + nodesOf(spec, pool), 0);
  const fewPods = podCidr !== undefined && sizeOf(podCidr) < Math.max(1, nodes) * 256;
  if (fewPods || sizeOf(nodeCidr) < addressesOf(spec, nodes)) codes.push("ADM_CIDR_SMALL");
  return codes;
}

/**
 * The most nodes of a pool, with those that its upgrade adds: one at Google Cloud, two for each zone of AWS, otherwise a tenth. Elemento upgrades
 * nothing.
 */
function nodesOf({ provider, zones, highAvailability }: ClusterRequest["spec"], { count, max }: OraclePool): number {
  const most = max ?? count ?? 1;
  if (most === 0 || provider === "elemento") return most;
  if (provider === "gcp") return most + 1;
  if (provider === "aws") return most + 2 * (zones?.length ?? (highAvailability === true ? 3 : 2));
  return most + Math.ceil(most / 10);
}

/** Addresses of the nodes' network. On AWS, each zone has a quarter of it, in which AWS keeps five addresses and EKS wants six. */
function addressesOf({ provider, zones, highAvailability }: ClusterRequest["spec"], nodes: number): number {
  if (provider !== "aws") return nodes + 5;
  const parts = zones?.length ?? (highAvailability === true ? 3 : 2);
  return 4 * (Math.ceil(nodes / parts) + 11);
}

const sizeOf = (cidr: string): number => 2 ** (32 - Number(cidr.split("/")[1]));

/** A network as the bits that all its addresses share: of two overlapping networks, one is a prefix of the other. */
function bitsOf(cidr: string): string {
  const [address = "", length = ""] = cidr.split("/");
  const bits = address.split(".").map((octet) => Number(octet).toString(2).padStart(8, "0"));
  return bits.join("").slice(0, Number(length));
}

const known = (names: readonly string[]): Place[] =>
  names.map((name) => places[name]).filter((place) => place !== undefined);

/** The codes if the last rule removed all places: pools that fit nowhere, GPUs that no provider offers. */
function poolCodes(request: ClusterRequest, before: readonly string[], onlyOne: boolean): string[] {
  const left = known(before);
  const homeless = request.spec.nodePools.filter((pool) =>
    left.every((place) => poolType(request, pool, place) === null),
  );
  const codes = homeless.flatMap((pool) => {
    if (request.spec.poolInstanceTypes !== undefined) return ["POL_INSTANCE_TYPE"];
    const gpu = pool.gpu ?? 0;
    return gpu > 0 && !sellsGpus(gpu, left) ? ["POL_GPU"] : [];
  });
  return codes.length === 0 && onlyOne ? ["POL_FLAVOUR"] : codes;
}

/** The codes if no managed service remains: the reason of each that remained before. */
function serviceCodes(request: ClusterRequest, before: readonly string[], onlyOne: boolean): string[] {
  const found = [...new Set(known(before).map(({ provider }) => provider))].map((name) => lacking(request, name));
  // The zones are wrong wherever nothing else is.
  if (request.spec.zones !== undefined && found.includes(null)) return ["POL_ZONE"];
  const codes = found.filter((code) => code !== null);
  return codes.length === 0 && onlyOne ? ["POL_ZONE"] : codes;
}

/** The types of the pools in a place, of those that have one. */
const namesOf = (request: ClusterRequest, place: Place): string[] =>
  request.spec.nodePools.flatMap((pool) => poolType(request, pool, place)?.name ?? []);

function offerOf(request: ClusterRequest, place: Place): ClusterPlace {
  const { nodePools } = request.spec;
  const types = nodePools.map((pool) => [pool, poolType(request, pool, place)] as const);
  const prices = types.map(([pool, type]) =>
    type === null || type.price === null ? null : type.price * expected(pool),
  );
  const sum = prices.reduce<number | null>(
    (total, price) => (total === null || price === null ? null : total + price),
    0,
  );
  return {
    kubernetesVersion: versionOf(request, place.provider) ?? "",
    zones: zonesWith(request, place, namesOf(request, place)) ?? [],
    types: Object.fromEntries(types.map(([pool, type]) => [pool.name, type?.name ?? ""])),
    price: sum === null ? null : Math.round(sum * 1e6) / 1e6,
  };
}

const denied = (codes: string[]): ClusterAnswer => ({
  allowed: false,
  codes: [...new Set(codes)].sort(),
  candidates: {},
});

const served = (request: ClusterRequest, name: string): boolean =>
  known([name]).some((place) => lacking(request, place.provider) === null && zonesOf(request, place) !== null);

const housed = (request: ClusterRequest, name: string): boolean =>
  known([name]).some(
    (place) =>
      request.spec.nodePools.every((pool) => poolType(request, pool, place) !== null) &&
      zonesWith(request, place, namesOf(request, place)) !== null,
  );

function placeCodes(request: ClusterRequest, left: string[], taken: string[], onlyOne: boolean): string[] {
  if (taken.length === 0) return left.length > 0 ? serviceCodes(request, left, onlyOne) : [];
  return taken.some((name) => housed(request, name)) ? [] : poolCodes(request, taken, onlyOne);
}

/** The answer for a KaasCluster, by plain loops over every place, every pool and every type. */
export function decideCluster(request: ClusterRequest): ClusterAnswer {
  const wrong = shapeCodes(request.spec);
  if (wrong.length > 0) return denied(wrong);
  const machine = asMachine(request);
  const general = generalCodes(machine);
  const common: Rule[] = rulesOf(machine).filter(({ code }) =>
    ["POL_ELEMENTO_ZONE", "POL_REGION", "POL_RESIDENCY", "POL_LATENCY"].includes(code),
  );
  const start = pinned({ ...machine, spec: { ...machine.spec } });
  const onlyOne = request.spec["schedulingLocation"] !== undefined && start.length === 1;
  const first = narrow(start, common);
  if (first.refusedBy !== null && onlyOne) general.push(first.refusedBy);
  const taken = first.left.filter((name) => served(request, name));
  const fitting = taken.filter((name) => housed(request, name));
  general.push(...placeCodes(request, first.left, taken, onlyOne));
  if (general.length > 0) return denied(general);
  if (fitting.length === 0) return denied(["PLACEMENT_NONE"]);
  const near = preferNear(machine, fitting);
  const offers = near.flatMap((name) => known([name]).map((place) => [name, offerOf(request, place)] as const));
  return { allowed: true, codes: [], candidates: Object.fromEntries(offers) };
}
