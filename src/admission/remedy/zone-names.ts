import { zoneName } from "../../model/places/zones.ts";
import type { DecisionRequest } from "../types.ts";
import { type NearestName, single } from "./nearest-name.ts";

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

/** Zones by their letters, also those of another region's zones, where the provider and the region are known. */
export function zoneNames(request: DecisionRequest): NearestName[] {
  const { spec = {} } = request.object;
  const wanted = Array.isArray(spec["zones"]) ? (spec["zones"] as unknown[]) : [spec["zone"]];
  const region = spec["schedulingLocation"] ?? regionOfZones(request, wanted);
  const provider = providerOf(request, region);
  if (provider === undefined || provider === "azure" || typeof region !== "string") return [];
  const letters = wanted.map((one) => (typeof one === "string" ? LETTER.exec(one)?.[1] : undefined));
  const known = letters.filter((letter) => letter !== undefined);
  if (known.length < letters.length) return [];
  if (Array.isArray(spec["zones"])) return zoneList(request, { provider, region }, known);
  return known.flatMap((letter) => single("zone", zoneName(provider, region, letter)));
}
