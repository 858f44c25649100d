import { LandfallError, messageOf } from "../../errors.ts";
import type { ZoneForecast } from "../../model/forecast.ts";

/** What came of asking for each zone. */
export type Supplied = Map<string, ZoneForecast | LandfallError>;

/** One source of figures: forecasts, or measured hours in the same form. */
export interface Supplier {
  /** Asks for these electricity zones. Throws what concerns all of them; what concerns one is in its place. */
  supply(zones: readonly string[]): Promise<Supplied>;
  close(): Promise<void>;
}

export const asForecastError = (source: string, thrown: unknown): LandfallError =>
  thrown instanceof LandfallError
    ? thrown
    : new LandfallError("FORECAST_ANSWER", { source, detail: messageOf(thrown) }, thrown);

/** Asks for each zone by itself; how many at once is the service's matter. */
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
