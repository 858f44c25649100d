import type { MapPlace, PlacesMap } from "../../../../src/console/contract/map.ts";

/** A place with its intensity in the chosen hour, gCO2eq/kWh; null if its zone has no data. */
export interface Spot extends MapPlace {
  intensity: number | null;
}

/** Places that lie so close on the picture that they are one mark. */
export interface Mark {
  x: number;
  y: number;
  /** The one with the most vCPU first. */
  spots: readonly Spot[];
}

/** The places in one hour, counted from the first one. */
export function spotsAt({ places, zones }: Pick<PlacesMap, "places" | "zones">, hour: number): Spot[] {
  const byZone = new Map(zones.map(({ zone, hours }) => [zone, hours]));
  return places.map((place) => ({
    ...place,
    intensity: place.zone === null ? null : (byZone.get(place.zone)?.[hour] ?? null),
  }));
}

/** Pixels within which two places are one mark. */
const APART = 26;

const byLoad = (a: Spot, b: Spot): number => b.vcpus - a.vcpus || b.objects - a.objects || (a.place < b.place ? -1 : 1);

/** The marks of the places that the projection shows. Pure: the same places give the same marks. */
export function marksOf(
  spots: readonly Spot[],
  project: (longitude: number, latitude: number) => readonly [number, number] | null,
): Mark[] {
  const marks: { x: number; y: number; spots: Spot[] }[] = [];
  for (const spot of [...spots].sort(byLoad)) {
    const { longitude, latitude } = spot;
    const at = longitude === null || latitude === null ? null : project(longitude, latitude);
    if (at === null) continue;
    const [x, y] = at;
    const near = marks.find((mark) => Math.hypot(mark.x - x, mark.y - y) < APART);
    if (near === undefined) marks.push({ x, y, spots: [spot] });
    else near.spots.push(spot);
  }
  return marks;
}

/** The mean intensity of a mark; null if none is known. */
export function meanOf({ spots }: Mark): number | null {
  const known = spots.flatMap(({ intensity }) => intensity ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** From 11 pixels without load; the area grows with the vCPU. */
export const radiusOf = ({ spots }: Mark): number =>
  Math.min(32, 11 + Math.sqrt(spots.reduce((sum, { vcpus }) => sum + vcpus, 0)));
