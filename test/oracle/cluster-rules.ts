import { DAY_SECONDS } from "../../src/model/time.ts";
import {
  clusters,
  kubernetes,
  type Offered,
  oncePerPlace,
  type Place,
  isInZone,
  pricedTypes,
  typesIn,
  unknownLast,
} from "./catalog.ts";
import type { ClusterRequest, OraclePool, OracleTaint } from "./cluster-request.ts";
import { hasZone, list } from "./rules.ts";

const least = ({ count, min, max }: OraclePool): number => (max === undefined ? (count ?? 1) : (min ?? 0));
const most = ({ count, max }: OraclePool): number => max ?? count ?? 1;
export const expected = (pool: OraclePool): number => (least(pool) + most(pool)) / 2;

function isOver(provider: string, version: string, nowSeconds: number): boolean {
  const end = kubernetes.versions[provider]?.[version]?.end ?? null;
  return end !== null && Date.parse(end) / 1000 + DAY_SECONDS <= nowSeconds;
}

export function versionOf({ spec, nowSeconds }: ClusterRequest, provider: string): string | null {
  if (spec.kubernetesVersion !== undefined) return spec.kubernetesVersion;
  const supported = Object.keys(kubernetes.versions[provider] ?? {}).filter(
    (version) => !isOver(provider, version, nowSeconds),
  );
  return supported.sort((a, b) => Number(b.slice(2)) - Number(a.slice(2)))[0] ?? null;
}

/** Whether a taint keeps AKS's own services away. */
const repels = ({ key, effect }: OracleTaint): boolean => effect !== "PreferNoSchedule" && key !== "CriticalAddonsOnly";

/** EKS takes keys of 63 characters. */
const hasLongKey = ({ labels = {}, taints = [] }: OraclePool): boolean =>
  [...Object.keys(labels), ...taints.map(({ key }) => key)].some((key) => key.length > 63);

function askedFeatures({ spec }: ClusterRequest): string[] {
  const asked: [string, boolean][] = [
    ["clusters", true],
    ["podCidr", spec.network?.podCidr !== undefined],
    ["serviceCidr", spec.network?.serviceCidr !== undefined],
    ["privateEndpoint", spec.endpoint === "private"],
    ["releaseChannel", spec.releaseChannel !== undefined],
    ["zones", (spec.zones ?? []).length > 0],
    ["firstPoolTaints", (spec.nodePools[0]?.taints ?? []).some(repels)],
    ["labels", spec.nodePools.some(({ labels }) => labels !== undefined)],
    ["longKeys", spec.nodePools.some(hasLongKey)],
  ];
  return asked.filter(([, wanted]) => wanted).map(([name]) => name);
}

function versionReasons({ spec, nowSeconds }: ClusterRequest, provider: string): string[] {
  const version = spec.kubernetesVersion;
  if (version === undefined) return [];
  if (kubernetes.versions[provider]?.[version] === undefined) return ["POL_KUBERNETES_VERSION"];
  return isOver(provider, version, nowSeconds) ? ["POL_KUBERNETES_ENDED"] : [];
}

/** Every reason why a managed service rejects the cluster. */
function reasons(request: ClusterRequest, provider: string): string[] {
  const { nodePools } = request.spec;
  const limits = clusters.limits[provider];
  const found: string[] = [];
  if (askedFeatures(request).some((name) => clusters.unsupported[provider]?.[name] !== undefined))
    found.push("POL_FEATURE");
  if (limits === undefined) return found;
  if (nodePools.length > (limits.pools ?? Infinity)) found.push("POL_POOLS");
  if (nodePools.some((pool) => most(pool) > limits.nodes)) found.push("POL_POOL_NODES");
  const tooFew = (pool: OraclePool, index: number): boolean =>
    least(pool) < (index === 0 ? limits.first : limits.least);
  if (nodePools.some(tooFew)) found.push("POL_POOL_EMPTY");
  return [...found, ...versionReasons(request, provider)];
}

/** The reported reason: the first by code. */
export const lacking = (request: ClusterRequest, provider: string): string | null =>
  reasons(request, provider).sort()[0] ?? null;

function namedZones(request: ClusterRequest, place: Place): string[] | null {
  const { zones = [], highAvailability } = request.spec;
  const allowed: Record<string, number[]> = {
    aws: [2, 3, 4],
    azure: !clusters.zones.azure.includes(place.region) ? [] : highAvailability === true ? [2, 3] : [1, 2, 3],
    gcp: [highAvailability === true ? 0 : 1],
  };
  const fits = allowed[place.provider]?.includes(zones.length) === true && zones.every((zone) => hasZone(place, zone));
  return fits ? zones : null;
}

function amazonZones({ region }: Place, highAvailability: boolean): string[] {
  const { regions, suffixes, highlyAvailable, least: few } = clusters.zones.aws;
  const letters = regions[region] ?? suffixes;
  return letters.slice(0, highAvailability ? highlyAvailable : few).map((letter) => `${region}${letter}`);
}

/** The zones of the nodes; null if the place does not have the requested ones. */
export function zonesOf(request: ClusterRequest, place: Place): string[] | null {
  const { zones, highAvailability = false } = request.spec;
  if (zones !== undefined) return namedZones(request, place);
  const { azure } = clusters.zones;
  if (place.provider === "aws") return amazonZones(place, highAvailability);
  if (place.provider === "gcp") return highAvailability ? [] : [String(place.zone)];
  if (place.provider === "elemento" || !highAvailability) return [];
  return azure.includes(place.region) ? ["1", "2", "3"] : null;
}

/** The types with GPUs, the cheapest first. */
const gpuTypes = oncePerPlace((place) =>
  pricedTypes(place)
    .filter(({ gpus }) => gpus !== undefined)
    .sort((a, b) => unknownLast(a.price) - unknownLast(b.price) || (a.name < b.name ? -1 : 1)),
);

/** The smallest node; of types that the object names, only where the managed service refuses smaller ones. */
function floorOf(provider: string, named: string | undefined, gpu: number) {
  const smallest = clusters.floors[provider];
  const isHeld = named === undefined ? gpu === 0 : smallest?.enforced === true;
  return isHeld ? smallest : undefined;
}

/** The type of one pool in a place. */
export function poolType(request: ClusterRequest, pool: OraclePool, place: Place): Offered | null {
  const families = list(request.annotations["landfall.dev/families"]);
  const inFamily = (type: Offered): boolean => families === null || families.includes(type.family);
  const named = request.spec.poolInstanceTypes?.[pool.name];
  const gpu = pool.gpu ?? 0;
  const floor = floorOf(place.provider, named, gpu);
  const fits = (type: Offered): boolean =>
    type.vcpus >= Math.max(pool.cpu, floor?.cpu ?? 0) &&
    type.memoryGiB >= Math.max(pool.memory, floor?.memoryGiB ?? 0) &&
    (type.gpus ?? 0) >= gpu &&
    (request.spec.zones ?? []).every((zone) => isInZone(place, type.name, zone));
  if (named !== undefined) {
    const all = [...typesIn(place).filter(inFamily), ...gpuTypes(place)];
    return all.find((type) => type.name === named && type.arch === "amd64" && fits(type)) ?? null;
  }
  if (gpu > 0) return gpuTypes(place).find(fits) ?? null;
  const isUsual = (type: Offered): boolean => type.class === "standard" && type.arch === "amd64" && inFamily(type);
  return typesIn(place).find((type) => isUsual(type) && fits(type)) ?? null;
}

/** Of a cluster that stands in one zone of Google Cloud: the first zone with the types of all pools, the usual one if it has; null if there is none. */
export function zonesWith(request: ClusterRequest, place: Place, types: readonly string[]): string[] | null {
  const found = zonesOf(request, place);
  const isFree = request.spec.zones === undefined && place.provider === "gcp" && found?.length === 1;
  if (found === null || !isFree) return found;
  const all = [...found, ...["a", "b", "c", "d", "f"].map((letter) => `${place.region}-${letter}`)];
  const known = all.filter((zone) => hasZone(place, zone));
  const fits = known.find((zone) => types.every((type) => isInZone(place, type, zone)));
  return fits === undefined ? null : [fits];
}

/** Whether any of these places offers a machine with this many GPUs, regardless of its size. */
export const sellsGpus = (gpus: number, places: readonly Place[]): boolean =>
  places.some((place) => gpuTypes(place).some((type) => (type.gpus ?? 0) >= gpus));
