import { LandfallError } from "../../../errors.ts";
import type { PriceList, RegionPrices } from "../../../model/places/price-list.ts";
import type { CatalogType, InstanceTypesFile, OutliersFile, ProviderTypes } from "../catalog-files.ts";
import { isOffered } from "../is-offered.ts";
import { omitOutliers } from "../sanity/omit-outliers.ts";
import { type Dated, datesText } from "./dates-text.ts";
import { judgeRegion } from "./judge-region.ts";
import { zonesOfType } from "../../../model/places/machine-zones.ts";
import { table } from "../../../model/table.ts";

/** The key of each provider in the `dates` of instance-types.json. */
const KEYS: Readonly<Record<string, string>> = table({
  azure: "types and prices of Azure",
  aws: "prices of AWS",
  gcp: "types and prices of GCP",
});
/** The `dates` of instance-types.json after the prices of a provider changed. Dates of its types stay. Pure. */
function datedSources(
  dates: Readonly<Record<string, string>>,
  provider: string,
  regions: readonly Dated[],
): Record<string, string> {
  const key = KEYS[provider] ?? `prices of ${provider}`;
  const prices = datesText(regions);
  if (!key.startsWith("types")) return { ...dates, [key]: prices };
  const [, types = "unknown"] = /^(?:types )?([\d-]+)/.exec(dates[key] ?? "") ?? [];
  return { ...dates, [key]: `types ${types}, prices ${prices}` };
}

/** USD as the catalog has it: four significant digits are finer than the differences that lists show. */
export const roundedPrice = (usd: number): number => Number(usd.toPrecision(4));

/** The result for one place's prices. */
export interface RefreshedPlace {
  place: string;
  /** Date of the prices that the place has now; null if unknown. */
  date: string | null;
  /** Types that the catalog has there, and those of them with a price in the list. */
  known: number;
  listed: number;
  /** Types that were not known to be offered there. */
  added: number;
  /** Median of the new prices relative to the earlier ones; null if there are none to compare. */
  factor: number | null;
  /** Why the place keeps its earlier prices; null if it does not. */
  kept: LandfallError | null;
}

export interface MergedPrices {
  instanceTypes: InstanceTypesFile;
  /** Prices of the lists that cannot be true, and are omitted. */
  outliers: OutliersFile;
  places: RefreshedPlace[];
}

/** The new prices by column: of the regions whose list is used. */
type Taken = ReadonlyMap<number, RegionPrices>;

/** The lists of some providers have prices for types that no zone of the region has. */
const isSold = (provider: string, region: string, type: string): boolean =>
  zonesOfType(provider, region, type)?.length !== 0;

/** A type that a list does not name has no known price any more. */
function priceOf(type: CatalogType, name: string, column: number, taken: Taken): number | null {
  const list = taken.get(column);
  if (list === undefined) return type.prices[column] ?? null;
  const usd = list.prices.get(name);
  if (usd !== undefined) return roundedPrice(usd);
  return isOffered(type, column) ? null : -1;
}

const count = (table: ProviderTypes, counts: (type: CatalogType, name: string) => boolean): number =>
  Object.entries(table.types).filter(([name, type]) => counts(type, name)).length;

interface Merged {
  table: ProviderTypes;
  places: RefreshedPlace[];
}

type Found = RegionPrices | LandfallError | undefined;

/** The prices of a list for the types that are sold. */
const soldAt = (found: Found, isSoldThere: (type: string) => boolean): Found =>
  found === undefined || found instanceof LandfallError
    ? found
    : { ...found, prices: new Map([...found.prices].filter(([type]) => isSoldThere(type))) };

/** The earlier date of each region; "" if the catalog does not say. */
const earlierDates = ({ regions, priceDates }: ProviderTypes): string[] =>
  regions.map((_, column) => priceDates?.[column] ?? "");

function mergeProvider(provider: string, table: ProviderTypes, list: PriceList): Merged {
  const taken = new Map<number, RegionPrices>();
  const dates = earlierDates(table);
  const places = table.regions.flatMap((region, column): RefreshedPlace[] => {
    const found = soldAt(list.regions.get(region), (type) => isSold(provider, region, type));
    if (found === undefined) return [];
    const place = { place: `${provider}/${region}`, date: dates[column] || null };
    const known = count(table, (type) => isOffered(type, column));
    if (found instanceof LandfallError) return [{ ...place, known, listed: 0, added: 0, factor: null, kept: found }];
    const { fault, listed, factor } = judgeRegion({ column, table }, found);
    if (fault !== null) return [{ ...place, known, listed, added: 0, factor, kept: fault }];
    // The list has none of the types, and the catalog none there either.
    if (listed === 0) return [{ ...place, known, listed, added: 0, factor, kept: null }];
    taken.set(column, found);
    dates[column] = found.date;
    const added = count(table, (type, name) => !isOffered(type, column) && found.prices.has(name));
    return [{ ...place, date: found.date, known, listed, added, factor, kept: null }];
  });
  const types = Object.entries(table.types).map(([name, type]) => {
    const prices = table.regions.map((_, column) => priceOf(type, name, column, taken));
    return [name, { ...type, prices }] as const;
  });
  const dated = taken.size === 0 ? {} : { priceDates: dates };
  return { table: { ...table, ...dated, types: Object.fromEntries(types) }, places };
}

/** The regions with a type, and the date of their prices. */
const datedRegions = (table: ProviderTypes): Dated[] =>
  table.regions.flatMap((region, column) => {
    const isEmpty = Object.values(table.types).every((type) => !isOffered(type, column));
    return isEmpty ? [] : [{ name: region, date: table.priceDates?.[column] || "unknown" }];
  });

/**
 * The machine types with the prices of lists. A region whose list is missing, has too few of the known types or is far from the earlier
 * prices keeps what it has. New prices that cannot be true become unknown. Pure.
 */
export function mergePrices(file: InstanceTypesFile, lists: readonly PriceList[]): MergedPrices {
  const merged: InstanceTypesFile = { ...file, providers: { ...file.providers } };
  const places: RefreshedPlace[] = [];
  for (const list of lists) {
    const { provider } = list;
    const before = merged.providers[provider];
    if (before === undefined) continue;
    const after = mergeProvider(provider, before, list);
    merged.providers[provider] = after.table;
    places.push(...after.places);
    merged.dates = datedSources(merged.dates, provider, datedRegions(after.table));
  }
  // The others were checked together with the prices of their time.
  const renewed = new Set(places.flatMap(({ place, kept }) => (kept === null ? [place] : [])));
  return { ...omitOutliers(merged, ({ provider, region }) => renewed.has(`${provider}/${region}`)), places };
}
