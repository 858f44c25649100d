import { type ForecastKeeper, type KeeperOptions, openKeeper } from "../src/facts/forecasts/forecast-keeper.ts";
import { readForecastSettings } from "../src/facts/forecasts/read-settings.ts";
import { forecastHours } from "../src/forecast/forecast-hours.ts";

/** Asks the sources of forecasts of this file beside the decisions, which never wait for it; null where none are set up. */
export async function openForecasts(
  file: string | undefined,
  surroundings: Pick<KeeperOptions, "onChange" | "onProblem" | "folder">,
): Promise<ForecastKeeper | null> {
  if (file === undefined) return null;
  return openKeeper({
    settings: await readForecastSettings(file),
    ...surroundings,
    forecastHours,
    random: Math.random,
  });
}
