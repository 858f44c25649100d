import { findArea } from "../../model/places/find-area.ts";
import { placesOfCity } from "../../model/places/cities.ts";
import { nearestPlace } from "../../model/places/nearest-place.ts";
import { isObject, textOf } from "../../model/json.ts";
import { flow } from "../../model/wrong-value/explain-value.ts";
import { nearest } from "../../model/text/nearest.ts";
import type { PolicyDenial } from "../../model/policy.ts";
import type { DecisionRequest } from "../types.ts";
import { table } from "../../model/table.ts";
import { likeTypes } from "./like-types.ts";
import { namesOfOther } from "./other-provider.ts";
import { type NearestName, placeOfZone, regionOf, single, zoneNames } from "./named-places.ts";

/** A name that a denial is about. */
interface Named {
  actual: string;
  field: string | null;
  /** The names that are possible, as text. */
  allowed: string;
}

type Find = (request: DecisionRequest, named: Named) => NearestName[];

/** The places that an object can name: those of its provider, where it names one. */
function placesFor({ object, policy }: DecisionRequest): string[] {
  const provider = object.spec?.["provider"];
  const all = Object.keys(policy.catalog.places);
  return typeof provider === "string" ? all.filter((key) => key.startsWith(`${provider}/`)) : all;
}

function region(request: DecisionRequest, { actual }: Named): NearestName[] {
  const places = placesFor(request);
  const ofZone = placeOfZone(actual, places);
  if (ofZone !== undefined) return withZone(request, regionOf(ofZone), actual);
  const inCity = placesOfCity(actual).filter((place) => places.includes(place));
  if (inCity.length > 0) return inCity.flatMap((place) => single("schedulingLocation", regionOf(place)));
  // The region of another provider is not a misspelt one: alone, the other provider is another remedy.
  if (Object.keys(request.policy.catalog.places).some((place) => regionOf(place) === actual))
    return namesOfOther(request, actual);
  const near = nearest(actual, new Set(places.map(regionOf)));
  return near === null ? areaInstead(request, actual) : single("schedulingLocation", near);
}

/** A zone in the field for regions: both fields, or the region alone next to a zone of the object, and for a cluster that takes no single zone. */
function withZone({ object: { kind, spec = {} } }: DecisionRequest, region: string, zone: string): NearestName[] {
  const field = kind === "VmTemplate" ? "zone" : "zones";
  const value = kind === "VmTemplate" ? zone : [zone];
  const alone = single("schedulingLocation", region);
  const both = {
    fields: { schedulingLocation: region, [field]: value },
    text: `schedulingLocation ${region} and ${field} ${flow(value)}`,
  };
  return spec[field] === undefined ? [both, ...alone] : [...alone, both];
}

/** `europe` and `germany` are areas, of which Landfall chooses a region. */
function areaInstead({ object: { spec = {} } }: DecisionRequest, actual: string): NearestName[] {
  const area = spec["dataResidency"] === undefined ? findArea(actual) : null;
  if (area === null) return [];
  const fields = { schedulingLocation: null, dataResidency: [area] };
  return [{ fields, text: `dataResidency [${area}] in place of schedulingLocation` }];
}

function origin({ object, policy }: DecisionRequest, { actual }: Named): NearestName[] {
  // The namespace's or the platform's is not the object's to correct.
  return object.spec?.["origin"] === actual
    ? single("origin", nearestPlace(actual, Object.keys(policy.catalog.places)))
    : [];
}

function area({ object }: DecisionRequest, { actual }: Named): NearestName[] {
  const areas = object.spec?.["dataResidency"];
  const meant = findArea(actual);
  if (!Array.isArray(areas) || meant === null || meant === actual) return [];
  // All of them together, or the others would be denied next.
  const all = areas.map((one: unknown) => (typeof one === "string" ? (findArea(one) ?? one) : one));
  const dataResidency = [...new Set(all)];
  return [{ fields: { dataResidency }, text: `dataResidency [${dataResidency.map(textOf).join(", ")}]` }];
}

const POOL_TYPES = "spec.poolInstanceTypes.";

/** The names of types that an object can use: those of its provider, where it names one. */
function typeNames({ object, policy }: DecisionRequest): readonly string[] {
  const provider = object.spec?.["provider"];
  const types = policy.catalog.types ?? {};
  return typeof provider === "string" ? (types[provider] ?? []) : Object.values(types).flat();
}

/** More would take the time of other remedies. */
const MOST_TYPES = 3;

/** The letters and the number of an Azure type, and the letter and the size of a Google Cloud type. */
const SERIES = /^(standard_[a-z]{1,3}\d{1,3})(?!\d)|^([a-z])\d[a-z]?(-[a-z]{1,12}-\d{1,3})$/i;

/** The part that the types of one series and number have in common; null for other names. */
function seriesOf(type: string): string | null {
  const [, azure, letter = "", size = ""] = SERIES.exec(type.toLowerCase()) ?? [];
  return azure ?? (size === "" ? null : letter + size);
}

/** The types of the same series and number, `Standard_B2as_v2` for Standard_B2ms, with the size that the object asks for; the smallest is first. */
function ofSeries(
  { object: { spec = {} }, policy: { catalog } }: DecisionRequest,
  names: readonly string[],
  actual: string,
): string[] {
  const series = seriesOf(actual);
  const sized = names.flatMap((type) => {
    if (series === null || seriesOf(type) !== series) return [];
    const size = Object.keys(catalog.types ?? {}).flatMap((provider) => catalog.sizeOf?.(provider, type) ?? [])[0];
    const isEnough =
      size !== undefined && size.vcpus >= Number(spec["cpu"] ?? 0) && size.memoryGiB >= Number(spec["memory"] ?? 0);
    return isEnough ? [{ type, memoryGiB: size.memoryGiB }] : [];
  });
  return sized.toSorted((one, other) => one.memoryGiB - other.memoryGiB).map(({ type }) => type);
}

/** The search takes the first that passes. */
function meantTypes(request: DecisionRequest, actual: string): string[] {
  const names = typeNames(request);
  if (names.includes(actual)) return [];
  const like = likeTypes(names, actual);
  return (like.length > 0 ? like : ofSeries(request, names, actual)).slice(0, MOST_TYPES);
}

function instanceTypes(request: DecisionRequest, { actual, field }: Named): NearestName[] {
  const near = meantTypes(request, actual);
  if (field?.startsWith(POOL_TYPES) !== true) return near.flatMap((one) => single("instanceType", one));
  const pool = field.slice(POOL_TYPES.length);
  const types = request.object.spec?.["poolInstanceTypes"];
  if (!isObject(types)) return [];
  return near.map((one) => ({
    fields: { poolInstanceTypes: { ...types, [pool]: one } },
    text: `poolInstanceTypes.${pool} ${one}`,
  }));
}

const MINOR = /(?<![\d.])1\.(\d{1,3})(?![\d.])/g;

/** The versions of Kubernetes that are offered. The newest is first: its support ends last. */
function versions(_request: DecisionRequest, { allowed }: Named): NearestName[] {
  const offered = new Set([...allowed.matchAll(MINOR)].map(([, minor]) => Number(minor)));
  const newest = [...offered].toSorted((a, b) => b - a);
  return newest.slice(0, MOST_TYPES).map((minor) => {
    const version = `1.${String(minor)}`;
    // YAML reads it as a number without quotes.
    return { fields: { kubernetesVersion: version }, text: `kubernetesVersion "${version}"` };
  });
}

const FINDERS: Readonly<Record<string, Find>> = table({
  POL_UNKNOWN_REGION: region,
  POL_UNKNOWN_ORIGIN: origin,
  POL_UNKNOWN_AREA: area,
  POL_INSTANCE_TYPE: instanceTypes,
  POL_ZONE: zoneNames,
  POL_KUBERNETES_VERSION: versions,
  POL_KUBERNETES_ENDED: versions,
});

/** The names of the catalog that are most like the one that a denial says is unknown; empty if none is near, or nothing is unknown. */
export const nearestNames = (
  request: DecisionRequest,
  { code, actual, field, source, allowed }: PolicyDenial,
): readonly NearestName[] =>
  source !== undefined || typeof actual !== "string"
    ? []
    : (FINDERS[code]?.(request, { actual, field, allowed: textOf(allowed) }) ?? []);

const minorOf = ({ fields }: NearestName): number => Number(textOf(fields["kubernetesVersion"]).split(".")[1]);

/**
 * The names for each of the denials, those with the same first one once. The versions of Kubernetes are those of all denials together, the
 * newest first: of one provider alone, the newest can be one whose support ends in days elsewhere.
 */
export function namesFor(request: DecisionRequest, denials: readonly PolicyDenial[]): (readonly NearestName[])[] {
  const all = denials.map((entry) => nearestNames(request, entry)).filter((names) => names.length > 0);
  const isVersions = ([first]: readonly NearestName[]): boolean => first?.fields["kubernetesVersion"] !== undefined;
  const versions = all
    .filter(isVersions)
    .flat()
    .toSorted((one, other) => minorOf(other) - minorOf(one));
  const others = all.filter((names) => !isVersions(names));
  const byFirst = new Map([...others, onceEach(versions)].map((names) => [names[0]?.text, names]));
  return [...byFirst.values()];
}

const onceEach = (names: readonly NearestName[]): NearestName[] => [
  ...new Map(names.map((one) => [one.text, one])).values(),
];
