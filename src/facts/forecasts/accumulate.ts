import type { LandfallError } from "../../errors.ts";
import type { ZoneForecast } from "../../model/forecast.ts";
import type { Supplied, Supplier } from "./supplier.ts";

const HOUR_SECONDS = 3600;

/** Measured hours without gaps up to the newest one. */
function tailOf(hours: ReadonlyMap<number, number>): ZoneForecast {
  const newest = Math.max(...hours.keys());
  let start = newest;
  while (hours.has(start - HOUR_SECONDS)) start -= HOUR_SECONDS;
  const values: number[] = [];
  for (let time = start; time <= newest; time += HOUR_SECONDS) values.push(hours.get(time) ?? 0);
  return { issuedAt: newest + HOUR_SECONDS, start, stepSeconds: HOUR_SECONDS, values, band: null };
}

/**
 * Keeps the measured hours of one source: most services tell a day only, so what was told before is not forgotten. Gives,
 * for each zone, the hours without gaps up to the newest, at most `most` of them.
 */
export function accumulate(supplier: Supplier, most: number): Supplier {
  const known = new Map<string, Map<number, number>>();

  function take(zone: string, { start, stepSeconds, values }: ZoneForecast): ZoneForecast {
    const hours = known.get(zone) ?? new Map<number, number>();
    known.set(zone, hours);
    for (const [index, value] of values.entries()) hours.set(start + index * stepSeconds, value);
    const oldest = Math.max(...hours.keys()) - most * HOUR_SECONDS;
    for (const time of hours.keys()) if (time <= oldest) hours.delete(time);
    return tailOf(hours);
  }

  return {
    supply: async (zones) => {
      const supplied: Supplied = new Map<string, ZoneForecast | LandfallError>();
      for (const [zone, answer] of await supplier.supply(zones)) {
        const hours = known.get(zone);
        if (answer instanceof Error) supplied.set(zone, hours === undefined ? answer : tailOf(hours));
        else supplied.set(zone, take(zone, answer));
      }
      return supplied;
    },
    close: () => supplier.close(),
  };
}
