import { geoEqualEarth, type GeoPermissibleObjects, type GeoProjection } from "d3-geo";
import type { View } from "./search.ts";

/** West, south, east and north of each part of the world, in degrees. */
const BOUNDS: Readonly<Record<Exclude<View, "world">, readonly [number, number, number, number]>> = {
  europe: [-12, 35, 32, 66],
  america: [-128, -36, -34, 56],
  asia: [30, -44, 155, 48],
};

const corners = ([west, south, east, north]: readonly [number, number, number, number]): GeoPermissibleObjects => ({
  type: "MultiPoint",
  coordinates: [
    [west, south],
    [west, north],
    [east, south],
    [east, north],
    [(west + east) / 2, north],
    [(west + east) / 2, south],
  ],
});

/** Height of the map for its width. */
export const heightFor = (width: number): number => Math.round(Math.min(640, Math.max(240, width * 0.5)));

/** Equal-area (Equal Earth), fitted to a part of the world. */
export function projectionFor(view: View, width: number): GeoProjection {
  const height = heightFor(width);
  const frame: [[number, number], [number, number]] = [
    [8, 8],
    [width - 8, height - 8],
  ];
  if (view === "world") return geoEqualEarth().fitExtent(frame, { type: "Sphere" });
  const bounds = BOUNDS[view];
  // Turned so that the part's own middle is straight.
  return geoEqualEarth()
    .rotate([-(bounds[0] + bounds[2]) / 2, 0])
    .fitExtent(frame, corners(bounds));
}

/** Whether a town lies in a part of the world; one whose position is not known lies in the whole alone. */
export function isIn(
  view: View,
  { longitude, latitude }: { longitude: number | null; latitude: number | null },
): boolean {
  if (view === "world") return true;
  if (longitude === null || latitude === null) return false;
  const [west, south, east, north] = BOUNDS[view];
  return longitude >= west && longitude <= east && latitude >= south && latitude <= north;
}
