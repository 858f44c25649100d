import { type KeeperOptions, openKeeper } from "../facts/forecasts/forecast-keeper.ts";
import { readForecastSettings } from "../facts/forecasts/read-settings.ts";
import { fedZones } from "../model/catalog.ts";
import type { ForecastBook } from "../model/forecast.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";

export interface OpenForecasts {
  /** What is known of the coming hours, for the electricity zones of a bundle; null for climatology alone. */
  forecasts: (bundle: LoadedBundle) => Promise<ForecastBook | null>;
  stop: () => Promise<void>;
}

/**
 * The same sources of forecasts as the webhook's, so that scans and decisions say the same; none where no settings are
 * named. Throws FORECAST_SETTINGS.
 */
export async function openForecasts(
  file: string | undefined,
  surroundings: Omit<KeeperOptions, "settings" | "onChange">,
): Promise<OpenForecasts> {
  if (file === undefined) return { forecasts: () => Promise.resolve(null), stop: () => Promise.resolve() };
  const settings = await readForecastSettings(file);
  const keeper = openKeeper({ settings, ...surroundings, onChange: () => undefined });
  return {
    forecasts: async ({ catalog }) => {
      await keeper.follow(fedZones(catalog));
      return keeper.book();
    },
    stop: () => keeper.stop(),
  };
}
