import { LandfallError, messageOf } from "../../errors.ts";
import type { ZoneForecast } from "../../model/places/forecast.ts";

/** The results by zone. */
export type Supplied = Map<string, ZoneForecast | LandfallError>;

/** A source of forecasts, or of measured hours in the same form. */
export interface Supplier {
  /** Requests these electricity zones. Throws errors that affect all of them; an error of one zone is its result. */
  supply(zones: readonly string[]): Promise<Supplied>;
  close(): Promise<void>;
}

export const asForecastError = (source: string, thrown: unknown): LandfallError =>
  thrown instanceof LandfallError
    ? thrown
    : new LandfallError("FORECAST_ANSWER", { source, detail: messageOf(thrown) }, thrown);

/** Requests each zone separately; the service limits concurrency. */
export async function eachZone(
  source: string,
  zones: readonly string[],
  ask: (zone: string) => Promise<ZoneForecast>,
): Promise<Supplied> {
  const answers = zones.map(async (zone): Promise<[string, ZoneForecast | LandfallError]> => {
    try {
      return [zone, await ask(zone)];
    } catch (thrown) {
      return [zone, asForecastError(source, thrown)];
    }
  });
  return new Map(await Promise.all(answers));
}
