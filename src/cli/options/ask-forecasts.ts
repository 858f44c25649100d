import { basename, resolve } from "node:path";
import { openForecastCache } from "../../external-data/forecasts/forecast-cache.ts";
import { readForecastFile } from "../../external-data/forecasts/read-forecast-file.ts";
import { openOutlook } from "../../external-data/forecasts/open-outlook.ts";
import {
  checkForecastSettings,
  type ForecastSettings,
  readForecastSettings,
} from "../../external-data/forecasts/read-settings.ts";
import type { ForecastBook } from "../../model/places/forecast.ts";
import { forecastHours } from "../../forecast/forecast-hours.ts";
import type { Cli } from "../cli.ts";

export interface ForecastFlags {
  forecast?: string;
  forecastSettings?: string;
}

/** The settings of these flags: the file of `--forecast` has priority over every source. Throws FORECAST_SETTINGS, FORECAST_FILE. */
export async function settingsOf({ forecast, forecastSettings }: ForecastFlags): Promise<ForecastSettings> {
  const named =
    forecastSettings === undefined ? checkForecastSettings({}, "") : await readForecastSettings(forecastSettings);
  if (forecast === undefined) return named;
  const source = { name: basename(forecast).replace(/[^A-Za-z0-9 ._-]/g, "_"), type: "file", path: resolve(forecast) };
  const { sources } = checkForecastSettings({ sources: [source] }, "--forecast");
  // An unreadable file is a user's error, not an unavailable source.
  await readForecastFile(source.path, source.name, named.maxIntensity);
  return { ...named, sources: [...sources, ...named.sources] };
}

/**
 * Asks the sources of `--forecast` and `--forecast-settings` once. A failing source of the settings is reported in the
 * decision. Throws FORECAST_SETTINGS, FORECAST_FILE.
 */
export async function askForecasts(cli: Cli, flags: ForecastFlags, zones: readonly string[]): Promise<ForecastBook> {
  const cache = openForecastCache({
    settings: await settingsOf(flags),
    onChange: () => undefined,
    onProblem: (_source, { line }) => {
      cli.note(`landfall: ${line}\n`);
    },
    forecastHours,
    folder: null,
    random: () => 0.5,
  });
  try {
    await cache.follow(zones);
    return cache.book();
  } finally {
    await cache.stop();
  }
}

/** Follows the sources of `--forecast` and `--forecast-settings`, and its measured hours. Throws FORECAST_SETTINGS, FORECAST_FILE. */
export async function followForecasts(
  cli: Cli,
  flags: ForecastFlags,
  zones: readonly string[],
): Promise<ReturnType<typeof openOutlook>> {
  return openOutlook({
    ...{ settings: await settingsOf(flags), zones, forecastHours },
    onProblem: (source, { line }) => {
      cli.note(`landfall: forecasts of ${source}: ${line}\n`);
    },
  });
}
