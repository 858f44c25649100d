import { expect, it } from "vitest";
import { forecastsOfCarbonAwareSdk } from "../../../../../src/external-data/forecasts/carbon-aware-sdk.ts";
import {
  forecastsOfElectricityMaps,
  measuredByElectricityMaps,
} from "../../../../../src/external-data/forecasts/electricity-maps.ts";
import { forecastsOfOpenInference } from "../../../../../src/external-data/forecasts/open-inference.ts";
import type { Supplier } from "../../../../../src/external-data/forecasts/supplier.ts";
import { startJsonService } from "../../../../support/services/json-service.ts";

const http = { timeoutMs: 5000, retries: 2, parallel: 1, breakAfter: 3, breakSeconds: 60 };
const MAX = 2000;
const HOUR = 3600;
const start = Math.floor(Date.now() / 1000 / HOUR) * HOUR;
const isoOf = (hour: number): string => new Date((start + hour * HOUR) * 1000).toISOString();
const hours = Array.from({ length: 30 }, (_, index) => index);
const about = (url: string) => ({ name: "grid", url, tokenFile: null, http });
const zones = ["DE", "FR", "IT", "ES", "PL", "SE"];
const locations = Object.fromEntries(zones.map((zone) => [zone, zone]));

const measured: Supplier = {
  supply: (asked) =>
    Promise.resolve(
      new Map(asked.map((zone) => [zone, { start, stepSeconds: HOUR, values: hours, issuedAt: start } as never])),
    ),
  close: () => Promise.resolve(),
};
const model = { model: "{zone}", historyHours: 24, horizonHours: 24, measured: "grid" };

const suppliers: Record<string, (url: string) => Supplier> = {
  maps: (url) =>
    forecastsOfElectricityMaps({ settings: { ...about(url), horizonHours: 24 } as never, maxIntensity: MAX }),
  history: (url) => measuredByElectricityMaps(about(url) as never, MAX),
  sdk: (url) => forecastsOfCarbonAwareSdk({ ...about(url), locations } as never, MAX),
  inference: (url) =>
    forecastsOfOpenInference({ settings: { ...about(url), ...model } as never, measured, maxIntensity: MAX }),
};

const tensor = (data: number[]) => ({ outputs: [{ name: "intensity", shape: [1, 24], datatype: "FP64", data }] });
const figures = (of: (hour: number) => unknown) =>
  hours.map((hour) => ({ carbonIntensity: of(hour), datetime: isoOf(hour) }));

/** Asks for six zones one after the other: how often the service was asked, and the codes. */
async function ask(supplier: string, answer: unknown): Promise<{ asked: number; codes: unknown[] }> {
  const server = await startJsonService(() => ({ status: 200, body: JSON.stringify(answer) }));
  const source = suppliers[supplier]?.(server.url);
  const results = [...((await source?.supply(zones)) ?? [])];
  await source?.close();
  await server.close();
  return { asked: server.asked.length, codes: results.map(([, result]) => ("code" in result ? result.code : "ok")) };
}

it.each([
  ["maps", { forecast: {} }],
  ["maps", [[[]]]],
  ["maps", { forecast: [{ carbonIntensity: 1, datetime: "yesterday" }], updatedAt: isoOf(0) }],
  ["history", { history: 3 }],
  ["sdk", { error: "none" }],
  ["inference", tensor([1, 2, 3])],
  ["inference", { outputs: [] }],
])(
  "47: a source (%s) that answers JSON of the wrong shape, %j, is asked no more after a few",
  async (supplier, answer) => {
    const { asked, codes } = await ask(supplier, answer);
    expect(codes).toEqual([...Array<string>(3).fill("FORECAST_ANSWER"), ...Array<string>(3).fill("FORECAST_CIRCUIT")]);
    expect(asked).toBe(3);
  },
);

it.each([
  ["maps", { forecast: figures(() => 0), updatedAt: isoOf(0) }],
  ["inference", tensor(hours.slice(0, 24).map(() => 0))],
])("47: so is one (%s) whose values cannot be true", async (supplier, answer) => {
  const { codes } = await ask(supplier, answer);
  expect(codes.slice(0, 3)).toEqual(Array<string>(3).fill("FORECAST_IMPLAUSIBLE"));
  expect(codes.slice(3)).toEqual(Array<string>(3).fill("FORECAST_CIRCUIT"));
});

it("47: a good answer is used, and a zone that a service does not know opens no circuit", async () => {
  const good = await ask("history", { history: figures((hour) => 100 + hour) });
  expect(good).toEqual({ asked: 6, codes: Array<string>(6).fill("ok") });
  const unknown = await ask("history", { history: [] });
  expect(unknown).toEqual({ asked: 6, codes: Array<string>(6).fill("FORECAST_ZONE") });
});
