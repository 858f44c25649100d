import { join } from "node:path";
import { accumulate } from "./accumulate.ts";
import { forecastsOfCarbonAwareSdk } from "./carbon-aware-sdk.ts";
import { type ForecastHours, forecastsOfEmbedded } from "./embedded.ts";
import { forecastsOfElectricityMaps, measuredByElectricityMaps } from "./electricity-maps.ts";
import { measuredFile } from "./measured-file.ts";
import { forecastsOfOpenInference } from "./open-inference.ts";
import { readForecastFile } from "./read-forecast-file.ts";
import type { FileSettings, ForecastSettings, MeasuredSettings, SourceSettings } from "./read-settings.ts";
import type { Supplier } from "./supplier.ts";

/** Measured hours are kept for this long: a leap year. */
const KEPT_HOURS = 8784;

function figuresOfFile({ name, path }: FileSettings, maxIntensity: number): Supplier {
  return {
    supply: async (zones) => {
      const all = await readForecastFile(path, name, maxIntensity);
      return new Map([...all].filter(([zone]) => zones.includes(zone)));
    },
    close: () => Promise.resolve(),
  };
}

/** Dependencies of the sources besides their settings. */
export interface SupplierNeeds {
  /** The embedded forecast. */
  forecastHours: ForecastHours;
  /** Folder where measured hours are stored across restarts; null: none. */
  folder: string | null;
  /** Ms since 1970; default: the system's clock. */
  nowMs?: () => number;
}

function measuredBy(settings: MeasuredSettings, maxIntensity: number, needs: SupplierNeeds): Supplier {
  const { folder, nowMs = Date.now } = needs;
  const kept = { source: settings.name, most: KEPT_HOURS, nowMs };
  // A file is complete: nothing has to be accumulated.
  if (settings.type === "file") return accumulate(figuresOfFile(settings, maxIntensity), kept, null);
  const { name } = settings;
  const file = folder === null ? null : measuredFile(join(folder, `${name}.json`), name, maxIntensity);
  return accumulate(measuredByElectricityMaps(settings, maxIntensity), kept, file);
}

const NOTHING: Supplier = { supply: () => Promise.resolve(new Map()), close: () => Promise.resolve() };

interface Surroundings extends SupplierNeeds {
  measured: ReadonlyMap<string, Supplier>;
  maxIntensity: number;
}

function supplierOf(settings: SourceSettings, { measured, maxIntensity, forecastHours }: Surroundings): Supplier {
  // The validation of the settings guarantees that it exists.
  const hours = "measured" in settings ? (measured.get(settings.measured) ?? NOTHING) : NOTHING;
  switch (settings.type) {
    case "file":
      return figuresOfFile(settings, maxIntensity);
    case "electricity-maps":
      return forecastsOfElectricityMaps({ settings, maxIntensity });
    case "carbon-aware-sdk":
      return forecastsOfCarbonAwareSdk(settings, maxIntensity);
    case "open-inference":
      return forecastsOfOpenInference({ settings, measured: hours, maxIntensity });
    case "embedded":
      return forecastsOfEmbedded({ settings, measured: hours, forecastHours });
  }
}

export interface OpenSupplier {
  settings: SourceSettings;
  supplier: Supplier;
}

/** A supplier for each source in the settings, in order, and a function that closes all of them. */
export function openSuppliers(
  settings: ForecastSettings,
  needs: SupplierNeeds,
): { suppliers: OpenSupplier[]; close: () => Promise<void> } {
  const { maxIntensity } = settings;
  const measured = new Map(settings.measured.map((source) => [source.name, measuredBy(source, maxIntensity, needs)]));
  const suppliers = settings.sources.map((source) => ({
    settings: source,
    supplier: supplierOf(source, { ...needs, measured, maxIntensity }),
  }));
  const all = [...measured.values(), ...suppliers.map(({ supplier }) => supplier)];
  return {
    suppliers,
    close: async () => {
      await Promise.all(all.map((supplier) => supplier.close()));
    },
  };
}
