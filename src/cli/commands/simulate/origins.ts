import { nearestPlace } from "../../../model/places/nearest-place.ts";
import { LandfallError } from "../../../errors.ts";
import type { Site } from "../../../forecast/neighbours.ts";
import type { HourlySeries } from "../../../model/places/intensity.ts";
import type { PlaceKey } from "../../../model/workload.ts";
import { readCatalog } from "../../../bundle/catalog/read-catalog.ts";
import type { CatalogPlace, ProviderTypes } from "../../../bundle/catalog/catalog-files.ts";

/** Locations of the electricity zones: the centre of the catalog's places in each. */
function zoneSites(places: Iterable<CatalogPlace>): Map<string, Site> {
  const sums = new Map<string, { latitude: number; longitude: number; count: number }>();
  for (const { electricityZone, latitude, longitude } of places) {
    if (electricityZone === null || latitude === null || longitude === null) continue;
    const sum = sums.get(electricityZone) ?? { latitude: 0, longitude: 0, count: 0 };
    sums.set(electricityZone, {
      latitude: sum.latitude + latitude,
      longitude: sum.longitude + longitude,
      count: sum.count + 1,
    });
  }
  const middle = ([zone, { latitude, longitude, count }]: [string, Site & { count: number }]): [string, Site] => [
    zone,
    { latitude: latitude / count, longitude: longitude / count },
  ];
  return new Map([...sums].map(middle));
}

export interface Origins {
  /** Every possible origin of a job. */
  known: Set<PlaceKey>;
  /** Origins of generated jobs, with the area for their data residency. */
  chosen: { place: PlaceKey; area: string }[];
  /** electricity zone -> location */
  sites: Map<string, Site>;
}

/** A region can be listed without published types. */
function sellsTypes(provider: ProviderTypes | undefined, region: string): boolean {
  const column = provider?.regions.indexOf(region) ?? -1;
  return column >= 0 && Object.values(provider?.types ?? {}).some(({ prices }) => (prices[column] ?? -1) !== -1);
}

const CLOUDS = ["azure", "aws", "gcp"];

/**
 * The possible origins of a simulation: places with machines and an hourly series. Default without `asked`: European
 * regions of the three clouds. Throws SIM_OPTIONS for an invalid place in `asked`.
 */
export async function readOrigins(
  catalog: string,
  series: ReadonlyMap<string, HourlySeries>,
  asked?: readonly string[],
): Promise<Origins> {
  const { places, residency, instanceTypes } = await readCatalog(catalog);
  const area = new Map<string, string>();
  for (const name of ["GDPR", "EEA", "EU"]) for (const country of residency.areas[name] ?? []) area.set(country, name);
  const european = new Set([...(residency.areas["EEA"] ?? []), "CH", "GB"]);
  const sells = (provider: string, region: string): boolean =>
    provider === "elemento" || sellsTypes(instanceTypes.providers[provider], region);
  const usable = Object.entries(places.places).filter(
    ([, { provider, region, electricityZone }]) => series.has(electricityZone ?? "") && sells(provider, region),
  );
  const known = new Set(usable.map(([place]) => place));
  const unknown = asked?.find((place) => !known.has(place));
  if (unknown !== undefined) {
    const near = nearestPlace(unknown, [...known]);
    const instead = `write ${near ?? "provider/region, e.g. azure/italynorth"}`;
    const detail = `--origins "${unknown}" is not a place with an hourly series: ${instead}`;
    throw new LandfallError("SIM_OPTIONS", { detail });
  }
  const chosen = usable.filter(([place, { provider, country }]) =>
    asked === undefined ? european.has(country) && CLOUDS.includes(provider) : asked.includes(place),
  );
  const sites = zoneSites(Object.values(places.places));
  return {
    known,
    sites,
    chosen: chosen.map(([place, { country }]) => ({ place, area: area.get(country) ?? country })),
  };
}
