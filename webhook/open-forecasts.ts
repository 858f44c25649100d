import {
  type ForecastCache,
  type ForecastCacheOptions,
  openForecastCache,
} from "../src/external-data/forecasts/forecast-cache.ts";
import { type ForecastSettings, readForecastSettings } from "../src/external-data/forecasts/read-settings.ts";
import { forecastHours } from "../src/forecast/forecast-hours.ts";
import type { ForecastBook } from "../src/model/places/forecast.ts";

/** Forecasts that are fetched in the background: decisions never wait for them. */
export interface Forecasts extends Pick<ForecastCache, "book" | "follow" | "status" | "stop"> {
  /** Calls `listener` on every change. There is one listener. */
  subscribe(listener: (book: ForecastBook) => void): void;
  /** Addresses of the sources, by their names. */
  urls: Readonly<Record<string, string>>;
}

const urlsIn = ({ sources, measured }: ForecastSettings): Record<string, string> =>
  Object.fromEntries(
    [...sources, ...measured].flatMap((source) =>
      "url" in source ? [[`forecasts of ${source.name}`, source.url]] : [],
    ),
  );

/** Opens the sources of a settings file; nothing is fetched before `follow`. Throws FORECAST_SETTINGS. */
export async function openForecasts(
  file: string,
  options: Pick<ForecastCacheOptions, "onProblem" | "folder">,
): Promise<Forecasts> {
  let onChange: (book: ForecastBook) => void = () => undefined;
  const settings = await readForecastSettings(file);
  const cache = openForecastCache({
    ...options,
    settings,
    onChange: (book) => {
      onChange(book);
    },
    forecastHours,
    random: Math.random,
  });
  return { ...cache, urls: urlsIn(settings), subscribe: (listener) => void (onChange = listener) };
}
