import { LandfallError } from "../../../errors.ts";
import { priceIn } from "../../../model/bundle-format/packed-prices.ts";
import type { PlaceKey } from "../../../model/workload.ts";
import type { CatalogPlace } from "../../../model/bundle-format/catalog-place.ts";
import type { CatalogTables } from "./catalog-tables.ts";
import { priceDate } from "./price-date.ts";
import { nearestTypes } from "../../../model/text/nearest.ts";
import { requireName, requirePlace } from "../../options/require-name.ts";
import { requireArea, requireProvider } from "./require-name.ts";

export interface PlaceFilter {
  /** A place has to match one of them. */
  provider?: string[];
  area?: string[];
  /** A machine type that the place has to offer. */
  type?: string;
  /** The place that round trips are measured from. */
  of?: string;
  /** ms; needs `of`. */
  withinLatency?: number;
}

export interface ListedPlace {
  place: PlaceKey;
  provider: string;
  region: string;
  country: string;
  /** The areas of dataResidency that it lies in. */
  areas: string[];
  zone: string | null;
  electricityZone: string | null;
  /** gCO2eq/kWh, mean of the year. */
  carbonIntensity: number | null;
  /** Round trip from the origin in ms, and how it is known. */
  latency?: { from: PlaceKey; ms: number | null; source: string | null };
  /** USD of the asked type; null if no price is published. */
  pricePerHour?: number | null;
  /** The date of the price; null if it is unknown. */
  priceDate?: string | null;
}

/** Throws CLI_UNKNOWN_NAME, CLI_USAGE. */
function check(tables: CatalogTables, { provider = [], area = [], type, of, withinLatency }: PlaceFilter): void {
  for (const name of provider) requireProvider(tables, name);
  for (const name of area) requireArea(tables, name);
  const types = [tables.typeIds, tables.gpuIds ?? {}].flatMap((ids) => Object.values(ids)).flatMap(Object.keys);
  if (type !== undefined)
    requireName("--type", type, {
      ...{ what: "a machine type of the catalog", otherwise: "a name that `landfall types` lists", names: types },
      find: (name) => nearestTypes(name, types)[0] ?? null,
    });
  if (of !== undefined) requirePlace(tables.places.map(({ key }) => key), "--of", of);
  else if (withinLatency !== undefined)
    throw new LandfallError("CLI_USAGE", { detail: "--within-latency needs --of, e.g. --of azure/italynorth" });
}

/** The price of a type in a place: null if it is not published, undefined if the type is not offered there. */
function priceAt(tables: CatalogTables, { provider, column }: CatalogPlace, type: string): number | null | undefined {
  const id = tables.typeIds[provider]?.[type] ?? tables.gpuIds?.[provider]?.[type];
  const row = id === undefined ? undefined : tables.types[id];
  if (row === undefined || column < 0) return undefined;
  const price = priceIn(row[3], column);
  return price === -1 ? undefined : price;
}

/** The price of a type in a place, and its date. */
function priced(tables: CatalogTables, row: CatalogPlace, type: string): Pick<ListedPlace, "pricePerHour" | "priceDate"> {
  const pricePerHour = priceAt(tables, row, type) ?? null;
  return { pricePerHour, priceDate: pricePerHour === null ? null : priceDate(tables, row.provider, row.column) };
}

function roundTrip({ latency }: CatalogTables, from: PlaceKey, id: number): ListedPlace["latency"] & object {
  const trips = latency.from[from];
  const source = latency.sources[trips?.source[id] ?? 0] ?? null;
  return { from, ms: trips?.ms[id] ?? null, source };
}

function describe(tables: CatalogTables, row: CatalogPlace, id: number, { of, type }: PlaceFilter): ListedPlace {
  const { key, provider, region, country, zone, electricityZone } = row;
  const { areas } = tables.residency;
  return {
    ...{ place: key, provider, region, country },
    areas: Object.keys(areas).filter((area) => areas[area]?.[country] === true),
    ...{ zone, electricityZone },
    carbonIntensity: tables.carbon[electricityZone ?? ""]?.yearly ?? null,
    ...(of === undefined ? {} : { latency: roundTrip(tables, of, id) }),
    ...(type === undefined ? {} : priced(tables, row, type)),
  };
}

const fits = (
  { provider, area, withinLatency = Infinity }: PlaceFilter,
  { provider: own, areas, country, latency }: ListedPlace,
): boolean =>
  (provider === undefined || provider.includes(own)) &&
  (area === undefined || area.some((name) => name === country || areas.includes(name))) &&
  // As for maxLatency: a round trip that is not known is not within a limit.
  (withinLatency === Infinity || (latency?.ms ?? Infinity) <= withinLatency);

const milliseconds = ({ latency }: ListedPlace): number => latency?.ms ?? Number.MAX_VALUE;

/** The catalog's places that pass a filter: nearest first if it names an origin, otherwise by name. Throws CLI_UNKNOWN_NAME, CLI_USAGE. */
export function listPlaces(tables: CatalogTables, filter: PlaceFilter): ListedPlace[] {
  check(tables, filter);
  const { type } = filter;
  return tables.places
    .flatMap((row, id) =>
      type === undefined || priceAt(tables, row, type) !== undefined ? [describe(tables, row, id, filter)] : [],
    )
    .filter((place) => fits(filter, place))
    .sort((a, b) => milliseconds(a) - milliseconds(b) || (a.place < b.place ? -1 : 1));
}
