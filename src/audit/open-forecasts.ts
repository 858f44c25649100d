import { type ForecastCacheOptions, openForecastCache } from "../external-data/forecasts/forecast-cache.ts";
import { readForecastSettings } from "../external-data/forecasts/read-settings.ts";
import type { ForecastBook } from "../model/places/forecast.ts";

export interface OpenForecasts {
  /** The forecasts for these electricity zones; null for climatology alone. */
  forecasts: (zones: string[]) => Promise<ForecastBook | null>;
  stop: () => Promise<void>;
}

/**
 * The same forecast sources as the webhook's, so that scans and decisions agree; none without settings. Throws
 * FORECAST_SETTINGS.
 */
export async function openForecasts(
  file: string | undefined,
  surroundings: Omit<ForecastCacheOptions, "settings" | "onChange">,
): Promise<OpenForecasts> {
  if (file === undefined) return { forecasts: () => Promise.resolve(null), stop: () => Promise.resolve() };
  const settings = await readForecastSettings(file);
  const cache = openForecastCache({ settings, ...surroundings, onChange: () => undefined });
  return {
    forecasts: async (zones) => {
      await cache.follow(zones);
      return cache.book();
    },
    stop: () => cache.stop(),
  };
}
