import type { CarbonTable, CatalogView } from "../../model/places/catalog.ts";
import type { ZoneForecast } from "../../model/places/forecast.ts";
import { DAY_SECONDS } from "../../model/time.ts";

/** Of a zone's lowest climatological hour: no grid's whole day is below it. */
const SHARE = 0.1;
/** The catalog's figures per gCO2eq/kWh. */
const TENTHS = 10;

const leastHours = new WeakMap<CarbonTable, number>();
const leastMeans = new WeakMap<ZoneForecast, number>();

function leastHour(table: CarbonTable): number {
  const known = leastHours.get(table);
  if (known !== undefined) return known;
  const least =
    table.tenths.length === 0 ? table.yearly : table.tenths.reduce((a, b) => Math.min(a, b), Infinity) / TENTHS;
  leastHours.set(table, least);
  return least;
}

/** The lowest mean of a day of the forecast, or of all of it if it is shorter, gCO2eq/kWh. */
function leastMean(forecast: ZoneForecast): number {
  const known = leastMeans.get(forecast);
  if (known !== undefined) return known;
  const { values, stepSeconds } = forecast;
  const steps = Math.min(values.length, Math.ceil(DAY_SECONDS / stepSeconds));
  let [least, sum] = [Infinity, 0];
  for (const [index, value] of values.entries()) {
    sum += value - (values[index - steps] ?? 0);
    if (index >= steps - 1) least = Math.min(least, sum / steps);
  }
  leastMeans.set(forecast, least);
  return least;
}

/**
 * Why a forecast of a zone is too low to be believed; null if it is not: a source that claims next to nothing would attract all work. Zones without
 * a climatology are not judged.
 */
export function tooLow(forecast: ZoneForecast, zone: string, { carbon }: Pick<CatalogView, "carbon">): string | null {
  const table = carbon[zone];
  const limit = table === undefined ? 0 : SHARE * leastHour(table);
  const mean = leastMean(forecast);
  if (mean >= limit) return null;
  const [low, lowest] = [mean, limit].map((figure) => figure.toFixed(1));
  return `the mean of a day is ${String(low)} g/kWh, below ${String(lowest)}, a tenth of the zone's lowest hour in past years`;
}
