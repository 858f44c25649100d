import type { CarbonProfile, PowerModel } from "../../model/places/catalog.ts";
import type { CatalogPlace } from "../../model/bundle-format/catalog-place.ts";
import { packPrices, type TypeRow } from "../../model/bundle-format/packed-prices.ts";
import { zonesOf } from "../../model/places/zones.ts";
import type { PlaceKey } from "../../model/workload.ts";
import {
  type CatalogFiles,
  type CatalogType,
  GPU_FAMILY,
  LATENCY_SOURCES,
  type ProviderTypes,
} from "./catalog-files.ts";
import { type ClusterTables, gpuTypes, kubernetesVersions } from "./cluster-tables.ts";
import { type ImpossibleOperations, impossibleOperations } from "./impossible-operations.ts";
import { packProfile } from "./pack-profile.ts";
import { priceTables, type PriceTables } from "./price-tables.ts";
import { type Offer, sizeCells } from "./size-cells.ts";
import { type ZoneTables, zoneTables } from "./zone-tables.ts";

/** USD per hour by column of the region (-1: not offered). */
type Row = TypeRow<(number | null)[]>;

/** data.landfall.catalog: the catalog with look-up tables for policies, which never need a search. */
export interface BundleCatalog extends ClusterTables, PriceTables, ZoneTables {
  schema: 1;
  dates: Record<string, string>;
  /** Policies identify a place by its index here: numbers are hashed and compared faster than names. */
  places: CatalogPlace[];
  placeIds: Record<PlaceKey, number>;
  /** Every id, so that a policy for all places need not build a list. */
  allPlaces: number[];
  residency: {
    areas: Record<string, Record<string, true>>;
    countries: Record<string, true>;
    /** area -> ids of its places */ places: Record<string, number[]>;
  };
  latency: {
    sources: (string | null)[];
    from: Record<PlaceKey, { ms: (number | null)[]; source: number[] }>;
    /** The row of an unknown origin. */
    none: { ms: null[]; source: number[] };
  };
  types: TypeRow<string>[];
  /** provider -> type -> index in `types` */
  typeIds: Record<string, Record<string, number>>;
  /** Lists of type ids; cells refer to them by index. */
  choices: number[][];
  /** Rows that cells refer to by index: for each place an index in `choices`, -1 if nothing fits. */
  cellRows: number[][];
  /** `arch` or `arch+burstable` -> by power of two of the vCPUs -> by power of two of the GiB -> index in `cellRows` */
  cells: Record<string, number[][]>;
  powersOfTwo: number[];
  carbon: Record<string, CarbonProfile>;
  power: PowerModel;
  impossible: ImpossibleOperations;
  /** provider -> type -> the group within which a running machine's type changes. Providers without groups are omitted. */
  resizeGroups: Record<string, Record<string, string>>;
}

const asSet = (names: string[]): Record<string, true> => Object.fromEntries(names.map((name) => [name, true]));

/** Elemento offers each flavour in each of its zones, without a published price. */
function elementoTypes({ elemento, places }: CatalogFiles): ProviderTypes {
  const regions = Object.values(places.places).flatMap((place) =>
    place.provider === "elemento" ? [place.region] : [],
  );
  const common = { family: "elemento", class: "standard", arch: "amd64", reference: null } as const;
  const types = Object.entries(elemento.flavours).map(([name, { vcpus, memoryGiB }]) => {
    const prices = regions.map(() => null);
    return [name, { ...common, vcpus, memoryGiB, prices }] as const;
  });
  return { regions, types: Object.fromEntries(types) };
}

interface TypeTables {
  providers: Record<string, ProviderTypes>;
  types: Row[];
  typeIds: Record<string, Record<string, number>>;
  references: (number | null)[];
}

const unknownLast = (value: number | null): number => value ?? Infinity;

/** At equal prices, the type with the lower id is preferred; size-cells.ts uses the same order. */
function byReference([a, left]: [string, CatalogType], [b, right]: [string, CatalogType]): number {
  const keys = [unknownLast(left.reference), left.vcpus, left.memoryGiB];
  const others = [unknownLast(right.reference), right.vcpus, right.memoryGiB];
  const index = keys.findIndex((key, at) => key !== others[at]);
  return index === -1 ? (a < b ? -1 : 1) : (keys[index] ?? 0) - (others[index] ?? 0);
}

function typeTables(files: CatalogFiles, families: string[]): TypeTables {
  const providers: Record<string, ProviderTypes> = { ...files.instanceTypes.providers, elemento: elementoTypes(files) };
  const tables: TypeTables = { providers, types: [], typeIds: {}, references: [] };
  for (const [provider, { types }] of Object.entries(providers)) {
    const ids: Record<string, number> = (tables.typeIds[provider] = {});
    for (const [name, type] of Object.entries(types).sort(byReference)) {
      if (!families.includes(type.family) || type.family === GPU_FAMILY) continue;
      const { vcpus, memoryGiB, prices, arch, class: kind, family } = type;
      ids[name] = tables.types.push([name, vcpus, memoryGiB, prices, arch, kind, family]) - 1;
      tables.references.push(type.reference);
    }
  }
  return tables;
}

function offersIn(tables: TypeTables, place: CatalogPlace): (Offer & { arch: string; class: string; family: string })[] {
  return Object.values(tables.typeIds[place.provider] ?? {}).flatMap((id) => {
    const row = tables.types[id];
    const price = row?.[3][place.column];
    if (row === undefined || price === undefined || price === -1) return [];
    const [name, vcpus, memoryGiB, , arch, kind, family] = row;
    return [{ id, name, vcpus, memoryGiB, price, reference: tables.references[id] ?? null, arch, class: kind, family }];
  });
}

/** Deduplicates lists by content and numbers them. */
function numbering(lists: number[][]): (list: number[]) => number {
  const numbers = new Map<string, number>();
  return (list) => {
    const key = list.join();
    const number = numbers.get(key) ?? lists.push(list) - 1;
    numbers.set(key, number);
    return number;
  };
}

interface Table {
  name: string;
  arch: string;
  burstable: boolean;
  family?: string;
}

/** For namespaces that narrow the families down: the policy takes the cheapest of each family's types. */
const tablesOfFamily = (family: string): Table[] =>
  ["amd64", "arm64"].map((arch) => ({ name: `${arch}/${family}`, arch, burstable: true, family }));

const TABLES: Table[] = [
  { name: "amd64", arch: "amd64", burstable: false },
  { name: "arm64", arch: "arm64", burstable: false },
  { name: "amd64+burstable", arch: "amd64", burstable: true },
  { name: "arm64+burstable", arch: "arm64", burstable: true },
];

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

function cellTables(tables: TypeTables, places: CatalogPlace[]): Pick<BundleCatalog, "choices" | "cellRows" | "cells"> {
  const choices: number[][] = [];
  const cellRows: number[][] = [];
  const choiceOf = numbering(choices);
  const rowOf = numbering(cellRows);
  const offers = places.map((place) => offersIn(tables, place));
  const families = [...new Set(tables.types.map((type) => type[6]))];
  const cells = [...TABLES, ...families.flatMap(tablesOfFamily)].map(({ name, arch, burstable, family }) => {
    const counts = (offer: (typeof offers)[number][number]): boolean =>
      offer.arch === arch && (family === undefined ? burstable || offer.class === "standard" : offer.family === family);
    const grids = offers.map((here) => sizeCells(here.filter(counts)));
    const cpus = Math.max(0, ...grids.map((grid) => grid.length));
    const memories = Math.max(0, ...grids.map((grid) => grid[0]?.length ?? 0));
    const choice = (ids: number[] | undefined): number => (ids === undefined || ids.length === 0 ? -1 : choiceOf(ids));
    const row = (cpu: number, memory: number): number => rowOf(grids.map((grid) => choice(grid[cpu]?.[memory])));
    return [name, range(cpus).map((cpu) => range(memories).map((memory) => row(cpu, memory)))] as const;
  });
  return { choices, cellRows, cells: Object.fromEntries(cells) };
}

function bundlePlaces(files: CatalogFiles, providers: Record<string, ProviderTypes>): CatalogPlace[] {
  return Object.entries(files.places.places).map(([key, place]) => {
    const { provider, region, country, electricityZone, zone } = place;
    const zones = zonesOf(provider, region);
    return {
      key,
      provider,
      region,
      country,
      electricityZone,
      zone,
      ...(zones === null ? {} : { zones }),
      column: providers[provider]?.regions.indexOf(region) ?? -1,
    };
  });
}

/** The dates in these files of the catalog. */
export const datesOf = (files: readonly { dates: Record<string, string> }[]): Record<string, string> =>
  Object.fromEntries(files.flatMap(({ dates }) => Object.entries(dates)));

/** Of every type, whatever the families of the bundle: what runs may be of another one. */
const resizeGroups = (providers: Record<string, ProviderTypes>): Record<string, Record<string, string>> =>
  Object.fromEntries(
    Object.entries(providers).flatMap(([provider, { types }]) => {
      const groups = Object.entries(types).flatMap(([name, { resizeGroup }]) =>
        resizeGroup === undefined ? [] : [[name, resizeGroup] as const],
      );
      return groups.length === 0 ? [] : [[provider, Object.fromEntries(groups)] as const];
    }),
  );

const placesIn = (places: readonly CatalogPlace[], countries: ReadonlySet<string>): number[] =>
  places.flatMap(({ country }, id) => (countries.has(country) ? [id] : []));

const packed = ([name, vcpus, memoryGiB, prices, ...rest]: Row): TypeRow<string> => [
  ...([name, vcpus, memoryGiB, packPrices(prices)] as const),
  ...rest,
];

/** The catalog in the form of the bundle, with only the instance types of `families`. Pure. */
export function assembleData(files: CatalogFiles, families: string[]): BundleCatalog {
  const { residency, latency, carbon, power } = files;
  const tables = typeTables(files, [...families, "elemento"]);
  const places = bundlePlaces(files, tables.providers);
  const gpus = gpuTypes(tables.providers, tables.types.length);
  return {
    schema: 1,
    dates: datesOf(Object.values(files) as CatalogFiles["places"][]),
    places,
    allPlaces: places.map((_, index) => index),
    placeIds: Object.fromEntries(places.map(({ key }, index) => [key, index])),
    residency: {
      areas: Object.fromEntries(Object.entries(residency.areas).map(([area, countries]) => [area, asSet(countries)])),
      countries: asSet(residency.countries),
      places: Object.fromEntries(
        Object.entries(residency.areas).map(([area, countries]) => [area, placesIn(places, new Set(countries))]),
      ),
    },
    latency: {
      sources: [null, ...LATENCY_SOURCES.slice(1)],
      from: latency.from,
      none: { ms: places.map(() => null), source: places.map(() => 0) },
    },
    types: [...tables.types, ...gpus.rows].map(packed),
    typeIds: tables.typeIds,
    gpuIds: gpus.gpuIds,
    kubernetes: kubernetesVersions(files.kubernetes),
    ...cellTables(tables, places),
    powersOfTwo: Array.from({ length: 18 }, (_, exponent) => 2 ** exponent),
    carbon: Object.fromEntries(Object.entries(carbon.zones).map(([zone, profile]) => [zone, packProfile(profile)])),
    power: { wattsPerVcpu: power.wattsPerVcpu, wattsPerGiB: power.wattsPerGiB, pue: power.pue },
    impossible: impossibleOperations(),
    resizeGroups: resizeGroups(files.instanceTypes.providers),
    ...priceTables(tables),
    ...zoneTables(places, [tables.typeIds, gpus.gpuIds]),
  };
}
