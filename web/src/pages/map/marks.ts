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

/** Pixels between two circles. */
const APART = 4;

const byLoad = (a: Spot, b: Spot): number => b.vcpus - a.vcpus || b.objects - a.objects || (a.place < b.place ? -1 : 1);

const touch = (one: Mark, other: Mark): boolean =>
  Math.hypot(one.x - other.x, one.y - other.y) < radiusOf(one) + radiusOf(other) + APART;

/** The marks with those that touch joined into the first of them. A joined one is larger, and can touch others. */
function joined(marks: readonly Mark[]): Mark[] {
  const found: Mark[] = [];
  for (const mark of marks) {
    const at = found.findIndex((other) => touch(mark, other));
    const near = found[at];
    if (near === undefined) found.push(mark);
    else found[at] = { ...near, spots: [...near.spots, ...mark.spots] };
  }
  return found.length === marks.length ? found : joined(found);
}

/** The marks of the places that the projection shows. Pure: the same places give the same marks. */
export function marksOf(
  spots: readonly Spot[],
  project: (longitude: number, latitude: number) => readonly [number, number] | null,
): Mark[] {
  const single = [...spots].sort(byLoad).flatMap((spot): Mark[] => {
    const { longitude, latitude } = spot;
    const at = longitude === null || latitude === null ? null : project(longitude, latitude);
    return at === null ? [] : [{ x: at[0], y: at[1], spots: [spot] }];
  });
  return joined(single);
}

/** The spot of the number of places of a mark: the left end of its base line. */
export interface CountAt {
  x: number;
  y: number;
  count: number;
}

/** Pixels of a digit of these numbers, and their height. */
const [DIGIT, TALL] = [7, 8];

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const boxOf = ({ x, y, count }: CountAt): Box => ({
  ...{ left: x, right: x + DIGIT * String(count).length },
  ...{ top: y - TALL, bottom: y },
});

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function isUnder(box: Box, mark: Mark): boolean {
  const [x, y] = [Math.min(Math.max(mark.x, box.left), box.right), Math.min(Math.max(mark.y, box.top), box.bottom)];
  return Math.hypot(mark.x - x, mark.y - y) < radiusOf(mark);
}

/** The numbers of the marks that stand for several places, each in a corner that is free; a mark without one has none. Pure. */
export function countsOf(marks: readonly Mark[]): CountAt[] {
  const placed: CountAt[] = [];
  for (const mark of marks) {
    const count = mark.spots.length;
    if (count === 1) continue;
    const [side, wide] = [radiusOf(mark) * Math.SQRT1_2 + 2, DIGIT * String(count).length];
    const corners = [
      [mark.x + side, mark.y - side + 2],
      [mark.x - side - wide, mark.y - side + 2],
      [mark.x + side, mark.y + side + TALL - 2],
      [mark.x - side - wide, mark.y + side + TALL - 2],
    ] as const;
    const free = corners
      .map(([x, y]): CountAt => ({ x, y, count }))
      .find((one) => {
        const box = boxOf(one);
        return !marks.some((other) => isUnder(box, other)) && !placed.some((other) => overlap(box, boxOf(other)));
      });
    if (free !== undefined) placed.push(free);
  }
  return placed;
}

/** The mean intensity of a mark; null if none is known. */
export function meanOf({ spots }: Mark): number | null {
  const known = spots.flatMap(({ intensity }) => intensity ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** From 11 pixels without load; the area grows with the vCPU. */
export const radiusOf = ({ spots }: Mark): number =>
  Math.min(32, 11 + Math.sqrt(spots.reduce((sum, { vcpus }) => sum + vcpus, 0)));
