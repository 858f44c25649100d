import type { CatalogPlace } from "../../bundle/catalog-files.ts";
import type { Site } from "../../forecast/neighbours.ts";

/** Where the electricity zones are: the middle of the catalog's places in each. */
export function zoneSites(places: Iterable<CatalogPlace>): Map<string, Site> {
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
