import type { CatalogFiles, CatalogPlace } from "../catalog-files.ts";

/** The catalog's entries of one provider. */
export interface ProviderCoverage {
  provider: string;
  places: number;
  /** Places without a machine type: they are never chosen. */
  empty: string[];
  types: number;
  /** Pairs of a type and a place that offers it. */
  offers: number;
  /** Those with a price. */
  priced: number;
  /** Places whose grid has a figure for each hour of the week, one for the year, or none. */
  carbon: { hourly: number; yearly: number; unknown: number };
  /** Round trips from these places to all: measured, estimated by distance, unknown. */
  latency: { measured: number; estimated: number; unknown: number };
}

const UNKNOWN = 0;
/** The position in LATENCY_SOURCES. */
const ESTIMATED = 5;

const count = <T>(list: readonly T[], counts: (one: T) => boolean): number => list.filter(counts).length;

function carbonOf({ carbon }: CatalogFiles, places: readonly CatalogPlace[]): ProviderCoverage["carbon"] {
  const profiles = places.map(({ electricityZone }) => carbon.zones[electricityZone ?? ""]);
  const hourly = count(profiles, (profile) => profile !== undefined && profile.hourOfWeek !== null);
  const unknown = count(profiles, (profile) => profile === undefined);
  return { hourly, yearly: profiles.length - hourly - unknown, unknown };
}

function latencyOf({ latency }: CatalogFiles, keys: readonly string[]): ProviderCoverage["latency"] {
  const sources = keys.flatMap((key) => latency.from[key]?.source ?? []);
  const unknown = count(sources, (source) => source === UNKNOWN);
  const estimated = count(sources, (source) => source === ESTIMATED);
  return { measured: sources.length - unknown - estimated, estimated, unknown };
}

function offersOf({ instanceTypes, elemento }: CatalogFiles, provider: string, regions: readonly string[]) {
  const table = instanceTypes.providers[provider];
  // Elemento offers each flavour in each of its zones, without a published price.
  if (table === undefined) {
    const types = Object.keys(elemento.flavours).length;
    return { types, offers: types * regions.length, priced: 0, empty: [] };
  }
  const rows = Object.values(table.types);
  const offered = rows.flatMap(({ prices }) => prices.filter((price) => price !== -1));
  const empty = regions.filter((region) => {
    const column = table.regions.indexOf(region);
    return rows.every(({ prices }) => (prices[column] ?? -1) === -1);
  });
  return { types: rows.length, offers: offered.length, priced: count(offered, (price) => price !== null), empty };
}

/** How much of the catalog is known, by provider. Pure. */
export function coverage(files: CatalogFiles): ProviderCoverage[] {
  const groups = Map.groupBy(Object.entries(files.places.places), ([, { provider }]) => provider);
  return [...groups].map(([provider, entries]) => {
    const places = entries.map(([, place]) => place);
    const { empty, ...offers } = offersOf(
      files,
      provider,
      places.map(({ region }) => region),
    );
    return {
      ...{ provider, places: places.length, empty, ...offers },
      carbon: carbonOf(files, places),
      latency: latencyOf(
        files,
        entries.map(([key]) => key),
      ),
    };
  });
}
