import { LandfallError } from "../../../errors.ts";
import { readForecastFile } from "../../../external-data/forecasts/read-forecast-file.ts";
import type { ZoneForecast } from "../../../model/places/forecast.ts";
import type { HourlySeries } from "../../../model/places/intensity.ts";
import { HOUR_SECONDS, formatTime } from "../../../model/time.ts";

/** gCO2eq/kWh, the default limit of forecast settings. */
const MAX_INTENSITY = 2000;
/** A shorter series is not meaningful for forecasts and waiting. */
const FEWEST_HOURS = 48;

const wrong = (file: string, detail: string): LandfallError => new LandfallError("SIM_HOURS", { file, detail });

function checkHours(file: string, zone: string, { start, stepSeconds }: ZoneForecast): void {
  if (stepSeconds !== HOUR_SECONDS) {
    throw wrong(file, `${zone} has a figure every ${String(stepSeconds / 60)} minutes, and not one an hour`);
  }
  if (start % HOUR_SECONDS !== 0) throw wrong(file, `${zone} begins at ${formatTime(start)}, which is not a full hour`);
}

/**
 * Measured hours of a CSV or JSON file (docs/operations/forecasts.md, the same format as of a source) by electricity
 * zone, limited to those that all zones have. Throws FORECAST_… for an invalid file or value, SIM_HOURS for hours that
 * cannot be replayed.
 */
export async function readMeasuredSeries(file: string): Promise<Map<string, HourlySeries>> {
  const zones = new Map<string, ZoneForecast>();
  for (const [zone, hours] of await readForecastFile(file, file, MAX_INTENSITY)) {
    if (hours instanceof LandfallError) throw hours;
    checkHours(file, zone, hours);
    zones.set(zone, hours);
  }
  const all = [...zones.values()];
  const from = Math.max(...all.map(({ start }) => start));
  const to = Math.min(...all.map(({ start, values }) => start + values.length * HOUR_SECONDS));
  if (to - from < FEWEST_HOURS * HOUR_SECONDS) {
    const shared = Math.max(0, (to - from) / HOUR_SECONDS);
    throw wrong(file, `its zones have ${String(shared)} hours in common`);
  }
  return new Map(
    [...zones].map(([zone, { start, values }]) => {
      const first = (from - start) / HOUR_SECONDS;
      const hours = Float64Array.from(values.slice(first, first + (to - from) / HOUR_SECONDS));
      return [zone, { start: from, values: hours, before: null }];
    }),
  );
}
