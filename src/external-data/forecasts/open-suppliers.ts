import { forecastsOfCarbonAwareSdk } from "./carbon-aware-sdk.ts";
import { forecastsOfElectricityMaps } from "./electricity-maps.ts";
import { type ForecastHours, forecastsOfEmbedded } from "./embedded.ts";
import { figuresOfFile } from "./figures-of-file.ts";
import { forecastsOfOpenInference } from "./open-inference.ts";
import { type MeasuredNeeds, openMeasured } from "./open-measured.ts";
import type { ForecastSettings, SourceSettings } from "./read-settings.ts";
import type { Supplier } from "./supplier.ts";

/** Dependencies of the sources besides their settings. */
export interface SupplierNeeds extends MeasuredNeeds {
  /** The embedded forecast. */
  forecastHours: ForecastHours;
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
  const measured = new Map(settings.measured.map((source) => [source.name, openMeasured(source, maxIntensity, needs)]));
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
