import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { HourlySeries } from "../../../src/model/places/intensity.ts";

export const SERIES = fileURLToPath(new URL("../../../catalog/carbon-hourly-2022.json.gz", import.meta.url));

interface SeriesFile {
  start: string;
  zones: Record<string, { before: number | null; deltas: number[] }>;
}

/** The catalog's measured hours of a zone: hundredths of a gram, delta-encoded. */
export function seriesOf(zone: string): HourlySeries {
  const { start, zones } = JSON.parse(gunzipSync(readFileSync(SERIES)).toString("utf8")) as SeriesFile;
  const known = zones[zone];
  if (known === undefined) throw new TypeError(`no series of ${zone}`);
  let value = 0;
  const values = Float64Array.from(known.deltas, (delta) => (value += delta) / 100);
  return { start: Date.parse(start) / 1000, values, before: known.before };
}
