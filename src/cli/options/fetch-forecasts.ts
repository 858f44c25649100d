import type { ForecastBook } from "../../model/places/forecast.ts";
import type { Cli } from "../cli.ts";
import type { ForecastFlags } from "./ask-forecasts.ts";

/**
 * The forecasts of `--forecast` and `--forecast-settings`; null if neither is given. Throws FORECAST_SETTINGS, FORECAST_FILE.
 */
export async function fetchForecasts(
  cli: Cli,
  flags: ForecastFlags,
  zones: readonly string[],
): Promise<ForecastBook | null> {
  if (flags.forecast === undefined && flags.forecastSettings === undefined) return null;
  // Loaded here, since few calls ask a source.
  const { askForecasts } = await import("./ask-forecasts.ts");
  return askForecasts(cli, flags, zones);
}
