import type { Spot } from "./marks.ts";

/** The columns by which the table is sorted: each value, null where it is not known. */
const VALUES = {
  place: ({ place }: Spot) => place,
  display: ({ display }: Spot) => display,
  zone: ({ zone }: Spot) => zone,
  carbon: ({ intensity }: Spot) => intensity,
  price: ({ usdPerHour }: Spot) => usdPerHour,
  latency: ({ latencyMs }: Spot) => latencyMs,
  objects: ({ objects }: Spot) => objects,
  vcpus: ({ vcpus }: Spot) => vcpus,
} as const;
export type PlaceSort = keyof typeof VALUES;
export const PLACE_SORTS = Object.keys(VALUES) as PlaceSort[];

export type Direction = "ascending" | "descending";

/** The places by one value, then by name; those without it come last in both directions. Pure. */
export function sortedPlaces(spots: readonly Spot[], by: PlaceSort, direction: Direction): Spot[] {
  const valueOf: (spot: Spot) => string | number | null = VALUES[by];
  const sign = direction === "ascending" ? 1 : -1;
  const named = (a: Spot, b: Spot): number => (a.place < b.place ? -1 : 1);
  return spots.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === null || b === null) return a === b ? named(one, other) : a === null ? 1 : -1;
    return a === b ? named(one, other) : sign * (a < b ? -1 : 1);
  });
}
