import {
  features,
  images,
  isInZone,
  latency,
  placeNames,
  places,
  residency,
  settings,
  typesIn,
  zones,
} from "./catalog.ts";
import type { MachineType, Place } from "./catalog.ts";
import type { OracleRequest, OracleSpec } from "./request.ts";

/**
 * A rule keeps a place or not; `code` is the denial's code if the object itself allows only one place and the rule
 * refuses it.
 */
export interface Rule {
  code: string;
  keeps: (name: string, place: Place) => boolean;
}

export const list = (text: string | undefined): string[] | null =>
  text === undefined
    ? null
    : text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");

/** The providers that platform and namespace allow. */
export function allowedProviders({ annotations }: OracleRequest): string[] {
  const narrowed = list(annotations["landfall.dev/providers"]);
  return settings.providers.filter((name) => narrowed === null || narrowed.includes(name));
}

export const originOf = ({ spec, annotations }: OracleRequest): string | null =>
  spec.origin ?? annotations["landfall.dev/origin"] ?? settings.origin;

/** A longest round trip from a place. */
interface Limit {
  origin: string | null;
  ms: number;
}

/** The object's own limit, from its origin, and those of platform and namespace, from theirs: each of them holds. */
export function limitsOf(request: OracleRequest): Limit[] {
  const { spec, annotations } = request;
  const ceilingOrigin = annotations["landfall.dev/origin"] ?? settings.origin ?? originOf(request);
  const ofNamespace = annotations["landfall.dev/max-latency"] ?? "";
  const limits = [
    { origin: originOf(request), ms: spec.maxLatency ?? null },
    { origin: ceilingOrigin, ms: settings.latency.max },
    // What is no number is denied, and limits nothing.
    { origin: ceilingOrigin, ms: /^\d+$/.test(ofNamespace) ? Number(ofNamespace) : null },
  ];
  return limits.flatMap(({ origin, ms }) => (ms === null ? [] : [{ origin, ms }]));
}

const isKnown = (origin: string | null): origin is string => origin !== null && origin in places;

/** Lists of areas; a place must be in one area of each. */
export const floorsOf = ({ spec, annotations }: OracleRequest): string[][] =>
  [settings.residency, list(annotations["landfall.dev/residency"]) ?? [], spec.dataResidency ?? []].filter(
    (floor) => floor.length > 0,
  );

const liesIn = (country: string, area: string): boolean =>
  area === country || (residency.areas[area]?.includes(country) ?? false);

const BEFORE_ZONE: Record<string, string> = { azure: "", aws: "{region}", gcp: "{region}-" };

export function hasZone({ provider, region }: Place, zone: string): boolean {
  const table = zones[provider];
  const before = (BEFORE_ZONE[provider] ?? "").replace("{region}", region);
  return (table?.regions[region] ?? table?.usual ?? []).some((one) => zone === `${before}${one}`);
}

/** The round trip to a place, if it is known and may be used. */
function roundTrip(request: OracleRequest, name: string, origin = originOf(request)): number | null {
  const row = latency.from[origin ?? ""];
  const index = placeNames.indexOf(name);
  const estimated = latency.sources[row?.source[index] ?? 0] === "estimated";
  const mayEstimate = settings.latency.estimates && request.annotations["landfall.dev/estimates"] !== "false";
  return estimated && !mayEstimate ? null : (row?.ms[index] ?? null);
}

/** Whether the default limit of latency applies: nothing else says where the object may run. */
function hasDefault(request: OracleRequest): boolean {
  if (request.spec.maxLatency !== undefined || request.spec.schedulingLocation !== undefined) return false;
  const isLimited = limitsOf(request).some(({ origin }) => isKnown(origin));
  return !isLimited && floorsOf(request).length === 0 && isKnown(originOf(request));
}

/** The places within the default limit; all of them if there is no such limit, or it leaves none. */
export function preferNear(request: OracleRequest, names: string[]): string[] {
  const limit = settings.latency.default ?? null;
  if (limit === null || !hasDefault(request)) return names;
  const near = names.filter((name) => (roundTrip(request, name) ?? Infinity) <= limit);
  return near.length === 0 ? names : near;
}

function imageAt({ spec, annotations }: OracleRequest, provider: string): string | undefined {
  if (spec.image !== undefined)
    return new RegExp(images.notations[provider] ?? "^$").test(spec.image) ? spec.image : undefined;
  const os = spec.os ?? annotations["landfall.dev/os"] ?? settings.os;
  return images.by_provider[provider]?.[os]?.[spec.arch ?? "amd64"];
}

/** User data that runs nowhere: Google's images of these projects have no cloud-init. */
const losesUserData = (request: OracleRequest): boolean =>
  request.spec.userData !== undefined &&
  ["debian-cloud/", "rhel-cloud/", "rocky-linux-cloud/"].some((one) => imageAt(request, "gcp")?.startsWith(one));

type Existing = NonNullable<NonNullable<OracleSpec["network"]>["existing"]>;

function existingFeatures(existing: Existing, { ports, network }: OracleSpec): [string, boolean][] {
  return [
    ["securityGroups", existing.securityGroups !== undefined],
    ["publicIPInExistingNetwork", network?.publicIP === true],
    ["portsWithoutNetwork", existing.network === undefined && ports !== undefined],
    ["existingNetworkWithoutSubnet", existing.subnet === undefined],
    ["existingNetworkWithoutNetwork", existing.network === undefined],
  ];
}

/** Of a type that the object names; nothing if no place sells it. */
const vcpusOf = (type: string | undefined): number[] =>
  type === undefined
    ? []
    : Object.values(places).flatMap((place) =>
        typesIn(place).flatMap(({ name, vcpus }) => (name === type ? [vcpus] : [])),
      );

/** Of Azure's operating systems. */
const IMAGE_GIB = 30;

function wantedFeatures(request: OracleRequest): string[] {
  const { spec } = request;
  const disks = [spec.osDisk, ...(spec.disks ?? [])];
  const existing = spec.network?.existing;
  const asked: [string, boolean][] = [
    ["ports", spec.ports !== undefined],
    ["publicIP", spec.network?.publicIP === true],
    ["manyDisks", (spec.disks ?? []).length > 2 * Math.max(spec.cpu, ...vcpusOf(spec.instanceType))],
    ["zone", spec.zone !== undefined],
    ["userData", losesUserData(request)],
    ["spot", spec.capacity === "spot"],
    ["smallOsDisk", spec.image === undefined && (spec.osDisk?.sizeGiB ?? IMAGE_GIB) < IMAGE_GIB],
    ["diskType", disks.some((disk) => disk?.type !== undefined)],
    ["keptDisk", (spec.disks ?? []).some((disk) => disk.deletionPolicy === "retain")],
    ...(existing === undefined ? [] : existingFeatures(existing, spec)),
  ];
  return asked.filter(([, wanted]) => wanted).map(([name]) => name);
}

const lacks = (provider: string, feature: string): boolean =>
  feature === "spot" ? provider === "elemento" : features.unsupported[provider]?.[feature] !== undefined;

/** Of its burstable types, Azure sells no spot machines. */
const isSold = ({ capacity }: OracleSpec, place: Place, type: MachineType): boolean =>
  capacity !== "spot" || place.provider !== "azure" || type.class !== "burstable";

/** A burstable type is chosen only where the object takes them, and named unless it says that it takes none. */
const isAskedFor = ({ instanceType, burstable }: OracleSpec, { name, class: kind }: MachineType): boolean =>
  instanceType === undefined
    ? burstable === true || kind === "standard"
    : name === instanceType && (burstable !== false || kind === "standard");

/** The cheapest adequate type of a place; any adequate one if the object names it. */
export function typeFor({ spec, annotations }: OracleRequest, place: Place): string | null {
  const families = list(annotations["landfall.dev/families"]);
  const found = typesIn(place).find(
    (type) =>
      type.vcpus >= spec.cpu &&
      type.memoryGiB >= spec.memory &&
      type.arch === (spec.arch ?? "amd64") &&
      (families === null || families.includes(type.family)) &&
      isSold(spec, place, type) &&
      (spec.zone === undefined || isInZone(place, type.name, spec.zone)) &&
      isAskedFor(spec, type),
  );
  return found?.name ?? null;
}

/** The rules in the order in which they are reported. */
export function rulesOf(request: OracleRequest): Rule[] {
  const { spec, annotations } = request;
  const regions = list(annotations["landfall.dev/regions"]);
  const { allowed, denied } = settings.places;
  const { contracted } = settings.elemento;
  const limits = limitsOf(request).filter(({ origin }) => isKnown(origin));
  return [
    {
      code: "POL_ELEMENTO_ZONE",
      keeps: (_, { provider, region }) =>
        provider !== "elemento" || contracted.length === 0 || contracted.includes(region.split("-")[0] ?? ""),
    },
    {
      code: "POL_REGION",
      keeps: (name) =>
        !denied.includes(name) &&
        (allowed.length === 0 || allowed.includes(name)) &&
        (regions === null || regions.includes(name)),
    },
    {
      code: "POL_RESIDENCY",
      keeps: (_, place) => floorsOf(request).every((floor) => floor.some((area) => liesIn(place.country, area))),
    },
    {
      code: "POL_LATENCY",
      keeps: (name) => limits.every(({ origin, ms }) => (roundTrip(request, name, origin) ?? Infinity) <= ms),
    },
    { code: "POL_IMAGE", keeps: (_, place) => imageAt(request, place.provider) !== undefined },
    {
      code: "POL_FEATURE",
      keeps: (_, place) => wantedFeatures(request).every((feature) => !lacks(place.provider, feature)),
    },
    {
      code: spec.instanceType === undefined ? "POL_FLAVOUR" : "POL_INSTANCE_TYPE",
      keeps: (_, place) => typeFor(request, place) !== null,
    },
  ];
}
