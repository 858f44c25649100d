import type { LandfallError } from "../../errors.ts";
import type { ForecastBook, ZoneForecast } from "../../model/places/forecast.ts";
import { HOUR_MS } from "../../model/time.ts";
import { type ForecastCacheOptions, openForecastCache } from "./forecast-cache.ts";
import { openMeasured } from "./open-measured.ts";
import type { ForecastSettings } from "./read-settings.ts";

/** The forecasts and the measured hours of zones, renewed in the background. */
export interface OpenOutlook {
  book: () => ForecastBook | null;
  /** Electricity zone -> its measured hours, of the first source that has some. */
  measured: () => ReadonlyMap<string, ZoneForecast>;
  stop: () => Promise<void>;
}

export interface OutlookOptions extends Pick<ForecastCacheOptions, "forecastHours" | "onProblem"> {
  settings: ForecastSettings;
  zones: readonly string[];
}

/**
 * Asks every source of the settings now and at its intervals, and every source of measured hours once an hour. Does not wait for an
 * answer: `onProblem` gets the failure of a source.
 */
export function openOutlook({ settings, zones, forecastHours, onProblem }: OutlookOptions): OpenOutlook {
  const needs = { folder: null, forecastHours };
  const cache = openForecastCache({ ...needs, settings, onProblem, onChange: () => undefined, random: Math.random });
  const sources = settings.measured.map(({ ...source }) => ({
    name: source.name,
    supplier: openMeasured(source, settings.maxIntensity, needs),
  }));
  let known: ReadonlyMap<string, ZoneForecast> = new Map();

  async function measure(): Promise<void> {
    const found = new Map(known);
    for (const { name, supplier } of sources.toReversed()) {
      const supplied = await supplier.supply(zones).catch((thrown: unknown) => {
        onProblem(name, thrown as LandfallError);
        return new Map<string, ZoneForecast | LandfallError>();
      });
      for (const [zone, answer] of supplied) if (!(answer instanceof Error)) found.set(zone, answer);
    }
    known = found;
  }

  void cache.follow(zones);
  void measure();
  const timer = setInterval(() => void measure(), HOUR_MS);
  timer.unref();
  return {
    book: () => (settings.sources.length === 0 ? null : cache.book()),
    measured: () => known,
    stop: async () => {
      clearInterval(timer);
      await Promise.all([cache.stop(), ...sources.map(({ supplier }) => supplier.close())]);
    },
  };
}
