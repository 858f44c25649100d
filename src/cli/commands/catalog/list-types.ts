import { priceIn } from "../../../model/bundle-format/packed-prices.ts";
import type { PlaceKey } from "../../../model/workload.ts";
import type { Prices, TypeRow } from "../../../model/bundle-format/packed-prices.ts";
import type { CatalogPlace } from "../../../model/bundle-format/catalog-place.ts";
import type { CatalogTables } from "./catalog-tables.ts";
import { priceDate } from "./price-date.ts";
import { requireName, requirePlace } from "../../options/require-name.ts";
import { requireArea, requireProvider } from "./require-name.ts";

export interface TypeFilter {
  /** A type has to match one of them. */
  provider?: string[];
  place?: string[];
  area?: string[];
  family?: string[];
  arch?: string;
  /** At least. */
  cpu?: number;
  /** GiB, at least. */
  memory?: number;
  /** At least; 0 for types without. */
  gpu?: number;
}

export interface ListedType {
  type: string;
  provider: string;
  vcpus: number;
  memoryGiB: number;
  gpus: number;
  arch: string;
  family: string;
  /** `standard` or `burstable`. */
  class: string;
  /** The lowest price in USD and its place; null if none is published. */
  pricePerHour: number | null;
  cheapestPlace: PlaceKey | null;
  /** The date of that price; null if it is unknown. */
  priceDate: string | null;
  /** Number of the places that offer it, of those that were asked for. */
  places: number;
}

/** Throws CLI_UNKNOWN_NAME. */
function check(tables: CatalogTables, { provider = [], place = [], area = [], family = [] }: TypeFilter): void {
  for (const name of provider) requireProvider(tables, name);
  for (const name of place) requirePlace(tables.places.map(({ key }) => key), "--place", name, { isRepeatable: true });
  for (const name of area) requireArea(tables, name);
  const names = [...new Set(tables.types.map((row) => row[6]))].sort();
  const otherwise = "a family that `landfall types -o wide` lists";
  const expected = { what: "a family of the catalog", names, otherwise, isRepeatable: true };
  for (const name of family) requireName("--family", name, expected);
}

function placesFor({ places, residency }: CatalogTables, { provider, place, area }: TypeFilter): CatalogPlace[] {
  const within = (country: string): boolean =>
    area === undefined || area.some((name) => name === country || residency.areas[name]?.[country] === true);
  return places.filter(
    (row) =>
      row.column >= 0 &&
      (provider === undefined || provider.includes(row.provider)) &&
      (place === undefined || place.includes(row.key)) &&
      within(row.country),
  );
}

const unknownLast = (price: number | null): number => price ?? Infinity;

interface Offers {
  tables: CatalogTables;
  provider: string;
  places: readonly CatalogPlace[];
}

function describe(row: TypeRow<Prices>, { tables, provider, places }: Offers): ListedType {
  const [type, vcpus, memoryGiB, prices, arch, kind, family, gpus = 0] = row;
  const offers = places
    .filter((place) => place.provider === provider)
    .map(({ key, column }) => ({ key, column, price: priceIn(prices, column) }))
    .filter(({ price }) => price !== -1);
  const lowest = Math.min(...offers.map(({ price }) => unknownLast(price)));
  const cheapest = offers.find(({ price }) => price === lowest);
  const isPriced = cheapest !== undefined && cheapest.price !== null;
  return {
    ...{ type, provider, vcpus, memoryGiB, gpus, arch, family, class: kind },
    ...{ pricePerHour: cheapest?.price ?? null, cheapestPlace: cheapest?.key ?? null, places: offers.length },
    priceDate: isPriced ? priceDate(tables, provider, cheapest.column) : null,
  };
}

/** Whether the filter does not ask, or asks for this value. */
const among = (asked: readonly string[] | undefined, value: string): boolean => asked?.includes(value) ?? true;

const isLargeEnough = ({ cpu = 0, memory = 0, gpu = 0 }: TypeFilter, type: ListedType): boolean =>
  type.vcpus >= cpu && type.memoryGiB >= memory && type.gpus >= gpu;

function fits(filter: TypeFilter, type: ListedType): boolean {
  const { family, arch = type.arch, gpu } = filter;
  if (gpu === 0 && type.gpus > 0) return false;
  return isLargeEnough(filter, type) && among(family, type.family) && type.arch === arch;
}

function byPrice(a: ListedType, b: ListedType): number {
  const [left, right] = [a, b].map((one) => [unknownLast(one.pricePerHour), one.vcpus, one.memoryGiB]);
  const index = left?.findIndex((key, at) => key !== right?.[at]) ?? -1;
  return index === -1 ? (a.type < b.type ? -1 : 1) : (left?.[index] ?? 0) < (right?.[index] ?? 0) ? -1 : 1;
}

/** The machine types that pass a filter and that a place offers, cheapest first. Throws CLI_UNKNOWN_NAME. */
export function listTypes(tables: CatalogTables, filter: TypeFilter): ListedType[] {
  check(tables, filter);
  const places = placesFor(tables, filter);
  return [tables.typeIds, tables.gpuIds ?? {}]
    .flatMap((ids) => Object.entries(ids))
    .flatMap(([provider, ids]) => Object.values(ids).map((id) => ({ provider, row: tables.types[id] })))
    .flatMap(({ provider, row }) => (row === undefined ? [] : [describe(row, { tables, provider, places })]))
    .filter((type) => type.places > 0 && fits(filter, type))
    .sort(byPrice);
}
