import { setImmediate as nextTurn } from "node:timers/promises";
import { LandfallError } from "../../errors.ts";
import type { ZoneForecast } from "../../model/places/forecast.ts";
import { HOUR_SECONDS } from "../../model/time.ts";
import type { EmbeddedSettings } from "./read-settings.ts";
import { asForecastError, type Supplied, type Supplier } from "./supplier.ts";

/** Length of the history; a longer one takes more time and adds little. */
const MOST_HOURS = 672;
/** Minimum length, to distinguish day and night. */
const FEWEST_HOURS = 24;

/** A forecast of the hours after the measured ones. */
export type ForecastHours = (measured: readonly number[]) => { values: number[]; low: number[]; high: number[] };

export interface EmbeddedOptions {
  settings: EmbeddedSettings;
  measured: Supplier;
  forecastHours: ForecastHours;
}

/** Landfall's own forecast from measured hours, updated when there is a new hour. */
export function forecastsOfEmbedded({ settings, measured, forecastHours }: EmbeddedOptions): Supplier {
  const { name: source } = settings;
  const made = new Map<string, ZoneForecast>();

  function make(zone: string, hours: ZoneForecast | LandfallError | undefined): ZoneForecast {
    if (hours instanceof LandfallError) throw hours;
    const known = hours?.values.length ?? 0;
    const params = { source, zone, measured: settings.measured, hours: known };
    if (hours === undefined || known < FEWEST_HOURS) throw new LandfallError("FORECAST_MEASURED", params);
    const start = hours.start + known * HOUR_SECONDS;
    const earlier = made.get(zone);
    if (earlier?.start === start) return earlier;
    const { values, low, high } = forecastHours(hours.values.slice(-MOST_HOURS));
    // Its age is that of the newest measured hour.
    const issuedAt = start - HOUR_SECONDS;
    return { issuedAt, start, stepSeconds: HOUR_SECONDS, values, band: { low, high } };
  }

  return {
    supply: async (zones) => {
      const hours = await measured.supply(zones);
      const supplied: Supplied = new Map();
      for (const zone of zones) {
        // Yields between zones, so that requests are handled in between.
        await nextTurn();
        try {
          const forecast = make(zone, hours.get(zone));
          made.set(zone, forecast);
          supplied.set(zone, forecast);
        } catch (thrown) {
          supplied.set(zone, asForecastError(source, thrown));
        }
      }
      return supplied;
    },
    close: () => Promise.resolve(),
  };
}
