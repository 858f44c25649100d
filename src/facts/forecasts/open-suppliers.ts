import { accumulate } from "./accumulate.ts";
import { forecastsOfCarbonAwareSdk } from "./carbon-aware-sdk.ts";
import { forecastsOfElectricityMaps, measuredByElectricityMaps } from "./electricity-maps.ts";
import { forecastsOfOpenInference } from "./open-inference.ts";
import { readForecastFile } from "./read-forecast-file.ts";
import type { FileSettings, ForecastSettings, MeasuredSettings, SourceSettings } from "./read-settings.ts";
import type { Supplier } from "./supplier.ts";

/** Measured hours are kept for so long: a leap year. */
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

function measuredBy(settings: MeasuredSettings, maxIntensity: number): Supplier {
  const supplier =
    settings.type === "file"
      ? figuresOfFile(settings, maxIntensity)
      : measuredByElectricityMaps(settings, maxIntensity);
  return accumulate(supplier, KEPT_HOURS);
}

const NOTHING: Supplier = { supply: () => Promise.resolve(new Map()), close: () => Promise.resolve() };

function supplierOf(settings: SourceSettings, measured: ReadonlyMap<string, Supplier>, maxIntensity: number): Supplier {
  switch (settings.type) {
    case "file":
      return figuresOfFile(settings, maxIntensity);
    case "electricity-maps":
      return forecastsOfElectricityMaps({ settings, maxIntensity });
    case "carbon-aware-sdk":
      return forecastsOfCarbonAwareSdk(settings, maxIntensity);
    case "open-inference":
      // The settings' check has made sure that it is there.
      return forecastsOfOpenInference({ settings, measured: measured.get(settings.measured) ?? NOTHING, maxIntensity });
  }
}

export interface OpenSupplier {
  settings: SourceSettings;
  supplier: Supplier;
}

/** A supplier for each source of the settings, in their order, and what closes all of them. */
export function openSuppliers(settings: ForecastSettings): { suppliers: OpenSupplier[]; close: () => Promise<void> } {
  const { maxIntensity } = settings;
  const measured = new Map(settings.measured.map((source) => [source.name, measuredBy(source, maxIntensity)]));
  const suppliers = settings.sources.map((source) => ({
    settings: source,
    supplier: supplierOf(source, measured, maxIntensity),
  }));
  const all = [...measured.values(), ...suppliers.map(({ supplier }) => supplier)];
  return {
    suppliers,
    close: async () => {
      await Promise.all(all.map((supplier) => supplier.close()));
    },
  };
}
