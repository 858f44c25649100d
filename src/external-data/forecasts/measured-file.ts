import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ZoneForecast } from "../../model/places/forecast.ts";
import { formatTime } from "../../model/time.ts";
import { readForecastFile } from "./read-forecast-file.ts";

/** Stores each zone's measured hours across restarts. */
export interface MeasuredFile {
  /** Empty if there is no usable file: it is only a cache. */
  read(): Promise<Map<string, ZoneForecast>>;
  /** Replaces the whole file; a failure only affects the next restart. */
  write(zones: ReadonlyMap<string, ZoneForecast>): Promise<void>;
}

/** Stores measured hours in a file in the format of a source of type file. */
export function measuredFile(path: string, source: string, maxIntensity: number): MeasuredFile {
  return {
    read: async () => {
      try {
        const read = [...(await readForecastFile(path, source, maxIntensity))];
        return new Map(read.filter((entry): entry is [string, ZoneForecast] => !(entry[1] instanceof Error)));
      } catch {
        return new Map();
      }
    },
    write: async (zones) => {
      const rows = [...zones].map(([zone, { start, values }]) => [zone, { start: formatTime(start), values }]);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.new`, JSON.stringify({ zones: Object.fromEntries(rows) as unknown }));
      await rename(`${path}.new`, path);
    },
  };
}
