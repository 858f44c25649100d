// The oracle's data: the catalog's files and the bundle's data files, unchanged. It uses none of the product's code, so
// that an error there cannot repeat itself here.
import { readFileSync } from "node:fs";
import { parse } from "yaml";

export interface Place {
  provider: string;
  region: string;
  country: string;
  zone: string | null;
}

export interface MachineType {
  name: string;
  family: string;
  class: string;
  arch: string;
  vcpus: number;
  memoryGiB: number;
  reference: number | null;
  prices: (number | null)[];
  gpus?: number;
}

interface Settings {
  origin: string | null;
  providers: string[];
  places: { allowed: string[]; denied: string[] };
  elemento: { contracted: string[] };
  residency: string[];
  latency: { max: number | null; default?: number | null; estimates: boolean };
  families: string[];
  os: string;
}

interface ClusterData {
  kubernetes: { warnDays: number; denyEnded: boolean };
  limits: Record<string, { pools?: number; nodes: number; least: number; first: number } | undefined>;
  floors: Record<string, { cpu: number; memoryGiB: number; enforced?: boolean } | undefined>;
  zones: {
    aws: { least: number; highlyAvailable: number; suffixes: string[]; regions: Record<string, string[] | undefined> };
    azure: string[];
  };
  unsupported: Record<string, Record<string, string | undefined> | undefined>;
}

const json = (name: string): unknown => JSON.parse(readFileSync(`catalog/${name}.json`, "utf8"));
const yaml = (name: string): unknown => parse(readFileSync(`policies/bundle/landfall/${name}/data.yaml`, "utf8"));

export const places = (json("places") as { places: Record<string, Place> }).places;
export const placeNames = Object.keys(places);
export const latency = json("latency") as {
  sources: string[];
  from: Record<string, { ms: (number | null)[]; source: number[] } | undefined>;
};
export const residency = json("residency") as { areas: Record<string, string[] | undefined>; countries: string[] };
export const settings = yaml("settings") as Settings;
export const images = yaml("images") as {
  by_provider: Record<string, Record<string, Record<string, string | undefined> | undefined>>;
  notations: Record<string, string>;
};
export const features = yaml("features") as { unsupported: Record<string, Record<string, string | undefined>> };

export const clusters = yaml("clusters") as ClusterData;
export const kubernetes = json("kubernetes") as {
  versions: Record<string, Record<string, { end: string | null }> | undefined>;
};

export const { zones } = json("zones") as {
  zones: Record<string, { usual: string[]; regions: Record<string, string[] | undefined> } | undefined>;
};

const machineZones = json("machine-zones") as {
  zones: Record<string, { match: string; zones: Record<string, string[] | undefined> }[] | undefined>;
};

/** Whether a zone of a place has a type. Zones have the name of their region, and a letter. */
export function isInZone({ provider, region }: Place, type: string, zone: string): boolean {
  const rule = machineZones.zones[provider]?.find(({ match }) => new RegExp(match).test(type));
  return rule === undefined || (rule.zones[region] ?? []).includes(zone.slice(-1));
}

const files = json("instance-types") as {
  providers: Record<string, { regions: string[]; types: Record<string, Omit<MachineType, "name">> }>;
};
const flavours = json("elemento") as { flavours: Record<string, { vcpus: number; memoryGiB: number }> };

export type Offered = MachineType & { price: number | null };

/** A function that reads each place once: thousands of requests ask for the same. */
export function oncePerPlace(read: (place: Place) => Offered[]): (place: Place) => readonly Offered[] {
  const known = new Map<Place, Offered[]>();
  return (place) => {
    const types = known.get(place) ?? read(place);
    known.set(place, types);
    return types;
  };
}

/** Every type offered in a place of a cloud, including those with GPUs. */
export function pricedTypes(place: Place): Offered[] {
  const provider = files.providers[place.provider];
  if (provider === undefined) return [];
  const column = provider.regions.indexOf(place.region);
  return Object.entries(provider.types).flatMap(([name, type]) => {
    const price = type.prices[column];
    return price === undefined || price === -1 ? [] : [{ name, ...type, price }];
  });
}

export const unknownLast = (value: number | null): number => value ?? Number.MAX_VALUE;

/** Types without a price sort last, by their reference price, then by size. */
function byPrice(a: Offered, b: Offered): number {
  return (
    unknownLast(a.price) - unknownLast(b.price) ||
    unknownLast(a.reference) - unknownLast(b.reference) ||
    a.vcpus - b.vcpus ||
    a.memoryGiB - b.memoryGiB ||
    (a.name < b.name ? -1 : 1)
  );
}

/** The types that the settings allow in a place, the cheapest first, with the price there; null if it is not published. */
export const typesIn = oncePerPlace((place) => {
  if (place.provider === "elemento") {
    const like = { family: "elemento", class: "standard", arch: "amd64", reference: null, prices: [], price: null };
    return Object.entries(flavours.flavours)
      .map(([name, size]) => ({ name, ...like, ...size }))
      .sort(byPrice);
  }
  return pricedTypes(place)
    .filter(({ family }) => settings.families.includes(family))
    .sort(byPrice);
});
