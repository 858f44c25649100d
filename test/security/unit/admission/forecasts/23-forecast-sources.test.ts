import { describe, expect, it } from "vitest";
import type { LandfallError } from "../../../../../src/errors.ts";
import { accumulate } from "../../../../../src/external-data/forecasts/accumulate.ts";
import { makeForecast, type Origin } from "../../../../../src/external-data/forecasts/make-forecast.ts";
import type { Supplier } from "../../../../../src/external-data/forecasts/supplier.ts";
import { openForecastCache } from "../../../../../src/external-data/forecasts/forecast-cache.ts";
import { checkForecastSettings } from "../../../../../src/external-data/forecasts/read-settings.ts";
import { forecastHours } from "../../../../../src/forecast/forecast-hours.ts";
import type { ZoneForecast } from "../../../../../src/model/places/forecast.ts";
import { formatTime } from "../../../../../src/model/time.ts";
import { NOW } from "../../../../support/admission.ts";
import { type JsonService, startJsonService } from "../../../../support/services/json-service.ts";

const HOUR = 3600;
const origin = (changes: Partial<Origin> = {}): Origin => ({
  ...{ source: "grid", zone: "DE", issuedAt: NOW, maxIntensity: 2000 },
  ...changes,
});
const hours = (values: number[], start = NOW, step = HOUR) =>
  values.map((value, index) => ({ time: start + index * step, value }));

function codeOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (thrown) {
    return (thrown as LandfallError).line;
  }
}

describe("23: a forecast at the border", () => {
  it.each<[string, () => unknown, RegExp]>([
    ["a step of 1e300 minutes", () => makeForecast(hours([1]), origin({ stepSeconds: 6e301 })), /step is 6e\+301 s/],
    ["a step of 0", () => makeForecast(hours([1]), origin({ stepSeconds: 0 })), /step is 0 s/],
    ["a step that is no number", () => makeForecast(hours([1]), origin({ stepSeconds: Number.NaN })), /step is NaN/],
    ["a step of a second", () => makeForecast(hours([1, 2], NOW, 1), origin()), /step is 1 s/],
    ["a year of zeros", () => makeForecast(hours(Array.from({ length: 8760 }, () => 0)), origin()), /for 8760 hours/],
    [
      "a day of zeros among others",
      () => makeForecast(hours([5, ...Array.from({ length: 24 }, () => 0), 5]), origin()),
      /for 24/,
    ],
    [
      "more values than anybody needs",
      () => makeForecast(hours(Array.from({ length: 20_000 }, () => 5)), origin()),
      /20000 values/,
    ],
    ["a start in the year 30000", () => makeForecast(hours([5, 5], 9e11), origin()), /outside the years/],
    ["an issue before 1970", () => makeForecast(hours([5, 5]), origin({ issuedAt: -1 })), /outside the years/],
  ])("is dropped for %s", (_name, work, detail) => {
    const line = codeOf(work);
    expect(line).toMatch(/\[?FORECAST_IMPLAUSIBLE/);
    expect(line).toMatch(detail);
  });

  it("keeps what is plausible: zeros of less than a day, steps of five minutes and of a day", () => {
    expect(makeForecast(hours([...Array.from({ length: 23 }, () => 0), 1]), origin()).values).toHaveLength(24);
    expect(makeForecast(hours([5, 6], NOW, 300), origin()).stepSeconds).toBe(300);
    expect(makeForecast(hours([5, 6], NOW, 86_400), origin()).stepSeconds).toBe(86_400);
  });

  it("formats every time", () => {
    for (const time of [Number.NaN, Infinity, -Infinity, 1e300, -1e300, 8.64e12, 253_402_300_800])
      expect(formatTime(time)).toMatch(/^(0000|1970|9999)-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(formatTime(NOW)).toBe("2026-11-20T22:00:00Z");
  });
});

describe("23: a source that is wrong for one zone", () => {
  it("is dropped for this zone with a code, and used for the others", async () => {
    const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
    const answers: Record<string, object> = {
      good: { generatedAt: iso(NOW), forecastData: [{ timestamp: iso(NOW), duration: 60, value: 100 }] },
      absurd: { generatedAt: iso(NOW), forecastData: [{ timestamp: iso(NOW), duration: 1e300, value: 1 }] },
      future: { generatedAt: iso(NOW + 86_400), forecastData: [{ timestamp: iso(NOW), duration: 60, value: 1 }] },
      late: { generatedAt: iso(NOW), forecastData: [{ timestamp: iso(NOW + 30 * 86_400), duration: 60, value: 1 }] },
    };
    const service: JsonService = await startJsonService(({ url }) => ({
      status: 200,
      body: [answers[url.searchParams.get("location") ?? ""]],
    }));
    const cache = openForecastCache({
      settings: checkForecastSettings(
        {
          sources: [
            {
              ...{ name: "sdk", type: "carbon-aware-sdk", url: service.url },
              locations: { DE: "good", FR: "absurd", ES: "future", IT: "late" },
            },
          ],
        },
        "settings.yaml",
      ),
      ...{ folder: null, forecastHours, onChange: () => undefined, onProblem: () => undefined, random: () => 0.5 },
      nowMs: () => NOW * 1000,
    });
    await cache.refresh();
    const [source] = cache.book().sources;
    expect(Object.keys(source?.zones ?? {})).toEqual(["DE"]);
    expect(source?.problems).toMatchObject({
      FR: { code: "FORECAST_IMPLAUSIBLE" },
      ES: { code: "FORECAST_IMPLAUSIBLE" },
      IT: { code: "FORECAST_IMPLAUSIBLE" },
    });
    await cache.stop();
    await service.close();
  });
});

describe("23: measured hours", () => {
  it("of the future are dropped, so that one wrong answer does not make all others too old", async () => {
    const answers: ZoneForecast[] = [NOW - 2 * HOUR, NOW + 70 * 365 * 24 * HOUR, NOW - HOUR].map((start) => ({
      ...{ issuedAt: start, start, stepSeconds: HOUR, values: [100], band: null },
    }));
    const source: Supplier = {
      supply: () => Promise.resolve(new Map(answers.splice(0, 1).map((answer) => ["DE", answer]))),
      close: () => Promise.resolve(),
    };
    const supplier = accumulate(source, { source: "grid", most: 48, nowMs: () => NOW * 1000 }, null);
    await supplier.supply(["DE"]);
    expect((await supplier.supply(["DE"])).get("DE")).toMatchObject({ start: NOW - 2 * HOUR, values: [100] });
    expect((await supplier.supply(["DE"])).get("DE")).toMatchObject({ start: NOW - 2 * HOUR, values: [100, 100] });
  });

  it("that are all of the future are an error of the source", async () => {
    const start = NOW + 48 * HOUR;
    const answer = { issuedAt: start, start, stepSeconds: HOUR, values: [100], band: null };
    const source: Supplier = {
      supply: () => Promise.resolve(new Map([["DE", answer]])),
      close: () => Promise.resolve(),
    };
    const supplier = accumulate(source, { source: "grid", most: 48, nowMs: () => NOW * 1000 }, null);
    expect((await supplier.supply(["DE"])).get("DE")).toMatchObject({ code: "FORECAST_IMPLAUSIBLE" });
  });
});
