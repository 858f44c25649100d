import type { ForecastBook, ZoneForecast } from "../../model/places/forecast.ts";

/** The forecasts and the measured hours that the console was started with. */
export interface Outlook {
  /** Null without forecasts: the bundle's climatology alone. */
  book: () => ForecastBook | null;
  /** Electricity zone -> its measured hours. */
  measured: () => ReadonlyMap<string, ZoneForecast>;
}

/** Neither forecasts nor measured hours. */
export const NO_OUTLOOK: Outlook = { book: () => null, measured: () => new Map() };
