import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { LandfallError, messageOf } from "../errors.ts";
import type { HourlySeries } from "../model/places/intensity.ts";
import { parseTime } from "../model/time.ts";

interface SeriesFile {
  start: string;
  zones: Record<string, { before: number | null; deltas: number[] }>;
}

function summed(deltas: readonly number[]): Float64Array {
  let value = 0;
  // Hundredths of a gram, delta-encoded.
  return Float64Array.from(deltas, (delta) => (value += delta) / 100);
}

/** The catalog's hourly series of a year by electricity zone. Throws SIM_SERIES if the catalog has none for the year. */
export async function readCarbonSeries(root: string, year: number): Promise<Map<string, HourlySeries>> {
  try {
    const packed = await readFile(join(root, "catalog", `carbon-hourly-${String(year)}.json.gz`));
    const file = JSON.parse(gunzipSync(packed).toString("utf8")) as SeriesFile;
    const start = parseTime(file.start) ?? Number.NaN;
    return new Map(
      Object.entries(file.zones).map(([zone, { before, deltas }]) => [zone, { start, values: summed(deltas), before }]),
    );
  } catch (thrown) {
    throw new LandfallError("SIM_SERIES", { year, detail: messageOf(thrown) }, thrown);
  }
}
