import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ZoneForecast } from "../../model/forecast.ts";
import { formatTime } from "../../model/time.ts";
import { readForecastFile } from "./read-forecast-file.ts";

/** What is known of each zone's measured hours, over restarts. */
export interface MeasuredFile {
  /** Nothing where there is no such file, or none that can be used: it is only a memory. */
  read(): Promise<Map<string, ZoneForecast>>;
  /** Replaces the file as a whole; a failure loses what a restart would have known. */
  write(zones: ReadonlyMap<string, ZoneForecast>): Promise<void>;
}

/** Keeps measured hours in a file of the form that a source of type file reads. */
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
