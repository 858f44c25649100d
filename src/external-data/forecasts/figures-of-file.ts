import { readForecastFile } from "./read-forecast-file.ts";
import type { FileSettings } from "./read-settings.ts";
import type { Supplier } from "./supplier.ts";

/** A file as a source; it is read again at each request. */
export function figuresOfFile({ name, path }: FileSettings, maxIntensity: number): Supplier {
  return {
    supply: async (zones) => {
      const all = await readForecastFile(path, name, maxIntensity);
      return new Map([...all].filter(([zone]) => zones.includes(zone)));
    },
    close: () => Promise.resolve(),
  };
}
