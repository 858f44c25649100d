import type { Denial } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import { zoneName } from "../../model/places/zones.ts";
import { flow } from "../../model/wrong-value/explain-value.ts";
import type { DecisionRequest } from "../types.ts";
import type { Fields } from "./change-search.ts";

/** A name of the catalog that an object may mean. */
export interface NearestName {
  /** Fields of spec with it. */
  fields: Fields;
  /** `schedulingLocation italynorth` */
  text: string;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The only name, or none. */
export const single = (field: string, value: string | null): NearestName[] =>
  value === null ? [] : [{ fields: { [field]: value }, text: `${field} ${value}` }];

/** The place whose zone this is: that of eu-central-1a, of europe-west8-b. */
export const placeOfZone = (zone: string, places: readonly string[]): string | undefined => {
  const [, name] = /^(.+\d)-?[a-f]$/.exec(zone) ?? [];
  return name === undefined ? undefined : places.find((place) => place.endsWith(`/${name}`));
};

/** The region of `aws/eu-west-1`. */
export const regionOf = (place: string): string => place.split("/")[1] ?? "";

/** The provider that an object names, or that has this region. */
function providerOf({ object: { spec = {} }, policy }: DecisionRequest, region: unknown): string | undefined {
  const { provider } = spec;
  if (typeof provider === "string") return provider;
  const place = Object.keys(policy.catalog.places).find((key) => regionOf(key) === region);
  return place?.split("/")[0];
}

/** `eu-west-1a`, `europe-west1-b`, `a` */
const LETTER = /^(?:[a-z][a-z0-9-]{0,60}\d)?-?([a-f])$/;

/** The region of an object's zones, where it names none. */
function regionOfZones({ policy }: DecisionRequest, zones: readonly unknown[]): string | undefined {
  const keys = Object.keys(policy.catalog.places);
  const found = new Set(zones.map((one) => (typeof one === "string" ? placeOfZone(one, keys) : undefined)));
  const [only, ...others] = found;
  return only === undefined || others.length > 0 ? undefined : regionOf(only);
}

/** AWS takes two zones or more. */
function completedLetters(provider: string, letters: readonly string[]): string[] {
  const isOne = provider === "aws" && letters.length === 1;
  return isOne ? [...letters, letters.includes("a") ? "b" : "a"].toSorted() : [...letters];
}

/** The region of the zones that an object lists in the place of these zones, which are right and not taken there. */
const inRegion = (region: string, isPinned: boolean): NearestName[] =>
  isPinned
    ? []
    : [{ fields: { schedulingLocation: region, zones: null }, text: `schedulingLocation ${region} in place of zones` }];

/** The list of zones with these letters in a region. */
function zoneList(request: DecisionRequest, place: Place, letters: readonly string[]): NearestName[] {
  const { spec = {} } = request.object;
  const { provider, region } = place;
  const named = completedLetters(provider, letters).map((letter) => zoneName(provider, region, letter));
  if (named.includes(null)) return [];
  const isSame = JSON.stringify(named) === JSON.stringify(spec["zones"]);
  return isSame
    ? inRegion(region, spec["schedulingLocation"] !== undefined)
    : [{ fields: { zones: named }, text: `zones [${named.join(", ")}]` }];
}

interface Place {
  provider: string;
  region: string;
}

/** `westeurope-1`: Azure's zones are numbers, whose region people write before them. */
const AZURE_ZONE = /^([a-z]{3,40}\d?)-([1-3])$/;

/** The only region of zones such as `westeurope-1`, and their numbers; null for others. */
function numbersIn(zones: readonly unknown[]): { region: string; numbers: string[] } | null {
  const parts = zones.map((one) => AZURE_ZONE.exec(textOf(one)));
  const [region, ...others] = new Set(parts.map((part) => part?.[1]));
  const numbers = parts.flatMap((part) => part?.[2] ?? []);
  return region === undefined || others.length > 0 ? null : { region, numbers };
}

/** Zones of Azure that name their region; null for others. */
function azureZones({ object, policy }: DecisionRequest, wanted: readonly unknown[]): NearestName[] | null {
  const { spec = {} } = object;
  const { region, numbers } = numbersIn(wanted) ?? { region: "", numbers: [] };
  const { schedulingLocation = region, highAvailability } = spec;
  if (policy.catalog.places[`azure/${region}`] === undefined || schedulingLocation !== region) return null;
  return highAvailability === true && numbers.length === 1
    ? inRegion(region, spec["schedulingLocation"] !== undefined)
    : numberedZones(spec, region, numbers);
}

/** Zones by their numbers, with the region where the object names none. */
function numberedZones(spec: Fields, region: string, numbers: readonly string[]): NearestName[] {
  const fields = {
    ...(spec["schedulingLocation"] === undefined ? { schedulingLocation: region } : {}),
    ...(Array.isArray(spec["zones"]) ? { zones: numbers } : { zone: numbers[0] }),
  };
  const texts = Object.entries(fields).map(([name, value]) => `${name} ${flow(value)}`);
  return [{ fields, text: texts.join(" and ") }];
}

/** Zones by their letters, also those of another region's zones, where the provider and the region are known. */
export function zoneNames(request: DecisionRequest): NearestName[] {
  const { spec = {} } = request.object;
  const wanted = Array.isArray(spec["zones"]) ? (spec["zones"] as unknown[]) : [spec["zone"]];
  const region = spec["schedulingLocation"] ?? regionOfZones(request, wanted);
  const provider = providerOf(request, region);
  const ofAzure = azureZones(request, wanted);
  if (ofAzure !== null) return ofAzure;
  if (provider === undefined || provider === "azure" || typeof region !== "string") return [];
  const letters = wanted.map((one) => (typeof one === "string" ? LETTER.exec(one)?.[1] : undefined));
  const known = letters.filter((letter) => letter !== undefined);
  if (known.length < letters.length) return [];
  if (Array.isArray(spec["zones"])) return zoneList(request, { provider, region }, known);
  return known.flatMap((letter) => single("zone", zoneName(provider, region, letter)));
}

/** The provider that has networks or subnets with such an id. */
const PROVIDERS: readonly (readonly [id: RegExp, provider: string])[] = [
  [/^(?:subnet|vpc)-[0-9a-f]{1,17}$/, "aws"],
  [/^\/subscriptions\//, "azure"],
  [/(?:^|\/)projects\/|\/subnetworks\//, "gcp"],
];

/** The ids of an existing network. */
function idsOf({ network }: Fields): string[] {
  const existing = isObject(network) && isObject(network["existing"]) ? network["existing"] : {};
  return [existing["subnet"], existing["network"]].map(textOf);
}

/** The place of an existing network, as far as its zone, its ids and the machine type say it. */
function placeOf({ policy: { catalog } }: DecisionRequest, spec: Fields): { provider?: string; region?: string } {
  const ids = idsOf(spec);
  const places = Object.keys(catalog.places);
  const [ofZone, zoneRegion] = (placeOfZone(textOf(spec["zone"]), places) ?? "").split("/");
  const [, region = zoneRegion] = /\/regions\/([a-z0-9-]{1,60})\//.exec(ids.join(" ")) ?? [];
  const ofType = Object.entries(catalog.types ?? {}).find(([, types]) => types.includes(textOf(spec["instanceType"])));
  const ofId = PROVIDERS.find(([form]) => ids.some((id) => form.test(id)))?.[1];
  const provider = [textOf(spec["provider"]), ofId, ofZone, ofType?.[0]].find((one) => one !== undefined && one !== "");
  return { ...(provider === undefined ? {} : { provider }), ...(region === undefined ? {} : { region }) };
}

/** The fields of the place that the object lacks, as far as they are known. */
function knownOf(request: DecisionRequest, spec: Fields): string[] {
  const { provider, region } = placeOf(request, spec);
  const found = { provider, schedulingLocation: region };
  return Object.entries(found).flatMap(([name, value]) =>
    value === undefined || spec[name] !== undefined ? [] : [`${name}: ${value}`],
  );
}

const OF_AWS = /provider: aws\b/;
const AND_SUBNET = "; on AWS, network.existing names its subnet as well, e.g. subnet: subnet-0123456789abcdef0";

const lacksSubnet = ({ network }: Fields): boolean =>
  isObject(network) && isObject(network["existing"]) && network["existing"]["subnet"] === undefined;

/** The text about the place that an existing network needs; null if nothing is known of it. */
function placeRemedy(request: DecisionRequest, spec: Fields): string | null {
  const known = knownOf(request, spec);
  const region = "the region of the network as schedulingLocation";
  if (known.length === 0) return spec["provider"] === undefined ? null : `write ${region}`;
  const remedy = `write ${known.join(" and ")}`;
  const subnet = OF_AWS.test(remedy) && lacksSubnet(spec) ? AND_SUBNET : "";
  const isWhole = spec["schedulingLocation"] !== undefined || remedy.includes("schedulingLocation: ");
  return remedy + (isWhole ? "" : `, and ${region}`) + subnet;
}

/** A denial of an existing network without its place, with what is known of that. */
export function withNetworkPlace(request: DecisionRequest, entry: Denial): Denial {
  const isUnpinned = entry.code === "POL_NETWORK_UNPINNED" && entry.source === undefined;
  const remedy = isUnpinned ? placeRemedy(request, request.object.spec ?? {}) : null;
  return remedy === null ? entry : { ...entry, remedy };
}
