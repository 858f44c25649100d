import {
  type ForecastCache,
  type ForecastCacheOptions,
  openForecastCache,
} from "../src/external-data/forecasts/forecast-cache.ts";
import { readForecastSettings } from "../src/external-data/forecasts/read-settings.ts";
import { forecastHours } from "../src/forecast/forecast-hours.ts";

/** Asks the sources of forecasts of this file beside the decisions, which never wait for it; null where none are set up. */
export async function openForecasts(
  file: string | undefined,
  surroundings: Pick<ForecastCacheOptions, "onChange" | "onProblem" | "folder">,
): Promise<ForecastCache | null> {
  if (file === undefined) return null;
  return openForecastCache({
    settings: await readForecastSettings(file),
    ...surroundings,
    forecastHours,
    random: Math.random,
  });
}
