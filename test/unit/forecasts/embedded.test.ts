import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openForecastCache } from "../../../src/external-data/forecasts/forecast-cache.ts";
import { checkForecastSettings } from "../../../src/external-data/forecasts/read-settings.ts";
import { forecastHours } from "../../../src/forecast/forecast-hours.ts";
import type { ForecastSource } from "../../../src/model/places/forecast.ts";
import { HOUR_SECONDS } from "../../../src/model/time.ts";
import { startElectricityMaps } from "../../support/services/electricity-maps.ts";
import type { JsonService } from "../../support/services/json-service.ts";
import { seriesOf } from "../../support/ml/hourly-series.ts";

const folder = mkdtempSync(join(tmpdir(), "landfall-embedded-"));
writeFileSync(join(folder, "token"), "s3cret");
const series = seriesOf("DE");
const at = (time: number): number => series.values[(time - series.start) / HOUR_SECONDS] ?? 0;

const open: JsonService[] = [];
afterEach(() => Promise.all(open.splice(0).map((service) => service.close())));

/** What the embedded source says at this hour of the year, with a service that tells a day of measured hours. */
async function askAt(hour: number, kept: string | null): Promise<ForecastSource | undefined> {
  const nowSeconds = (): number => series.start + hour * HOUR_SECONDS + 600;
  const grid = await startElectricityMaps({ token: "s3cret", nowSeconds, zones: { DE: at } });
  open.push(grid);
  const source = { name: "own", type: "embedded", measured: "grid" };
  const measured = [{ name: "grid", type: "electricity-maps", url: grid.url, tokenFile: "token" }];
  const settings = checkForecastSettings({ sources: [source], measured }, join(folder, "settings.yaml"));
  const hooks = { onChange: () => undefined, onProblem: () => undefined, random: () => 0.5 };
  const cache = openForecastCache({ settings, ...hooks, forecastHours, folder: kept });
  await cache.follow(["DE", "FR"]);
  await cache.stop();
  return cache.book().sources[0];
}

/** What the embedded source says of Germany from the measured figures of a file in the folder. */
async function askFile(path: string): Promise<ForecastSource | undefined> {
  const sources = [{ name: "own", type: "embedded", measured: "figures" }];
  const measured = [{ name: "figures", type: "file", path }];
  const settings = checkForecastSettings({ sources, measured }, join(folder, "settings.yaml"));
  const hooks = { onChange: () => undefined, onProblem: () => undefined, random: () => 0.5 };
  const cache = openForecastCache({ settings, ...hooks, forecastHours, folder: null });
  await cache.follow(["DE"]);
  await cache.stop();
  return cache.book().sources[0];
}

describe("the embedded source", () => {
  it("forecasts a week and a day from one day of measured hours, with a band that widens", async () => {
    const known = await askAt(3000, null);
    const { start, issuedAt, values, band } = known?.zones["DE"] ?? { start: 0, issuedAt: 0, values: [], band: null };
    expect(start).toBe(series.start + 3001 * HOUR_SECONDS);
    expect(issuedAt).toBe(series.start + 3000 * HOUR_SECONDS);
    expect(values).toHaveLength(192);
    // The next hour is close to the last one, whose distance from its day is known.
    expect(Math.abs((values[0] ?? 0) - at(start))).toBeLessThan(60);
    expect(band?.low.every((low, hour) => low <= (values[hour] ?? 0) && low >= 0)).toBe(true);
    expect(known?.problems["FR"]?.code).toBe("FORECAST_STATUS");
  });

  it("keeps measured hours across restarts, and ignores a broken file", async () => {
    const kept = mkdtempSync(join(tmpdir(), "landfall-kept-"));
    const file = join(kept, "grid.json");
    const hours = (): number =>
      (JSON.parse(readFileSync(file, "utf8")) as { zones: { DE: { values: unknown[] } } }).zones.DE.values.length;
    await askAt(3000, kept);
    expect(hours()).toBe(24);
    await askAt(3020, kept);
    expect(hours()).toBe(44);
    // A gap ends what can be used.
    await askAt(3060, kept);
    expect(hours()).toBe(24);
    writeFileSync(file, '{"zones": {"DE": ');
    expect((await askAt(3061, kept))?.zones["DE"]?.values).toHaveLength(192);
    expect(hours()).toBe(24);
  });

  it("averages finer figures to full hours, and omits an incomplete hour", async () => {
    const rows = Array.from({ length: 4 * 48 + 3 }, (_, quarter) => {
      const time = new Date(Date.UTC(2026, 10, 18) + quarter * 900_000).toISOString();
      return `DE,${time},${String(quarter % 4 === 3 ? 500 : 100)}`;
    });
    writeFileSync(join(folder, "quarters.csv"), `zone,time,gco2_per_kwh\n${rows.join("\n")}\n`);
    const { start, values } = (await askFile("quarters.csv"))?.zones["DE"] ?? { start: 0, values: [] };
    expect(start).toBe(Date.UTC(2026, 10, 20) / 1000);
    for (const value of values) expect(value).toBeCloseTo(200, 6);
  });

  it("needs a day of data", async () => {
    writeFileSync(join(folder, "few.csv"), "zone,time,gco2_per_kwh\nDE,2026-11-20T21:00:00Z,5\n");
    expect((await askFile("few.csv"))?.problems["DE"]).toMatchObject({
      code: "FORECAST_MEASURED",
      params: { hours: 1 },
    });
  });
});
