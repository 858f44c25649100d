import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openForecastCache } from "../../../src/external-data/forecasts/forecast-cache.ts";
import { checkForecastSettings } from "../../../src/external-data/forecasts/read-settings.ts";
import { forecastHours } from "../../../src/forecast/forecast-hours.ts";
import type { ForecastSource } from "../../../src/model/places/forecast.ts";
import { HOUR_SECONDS } from "../../../src/model/time.ts";
import { startCarbonAwareSdk } from "../../support/services/carbon-aware-sdk.ts";
import { startElectricityMaps } from "../../support/services/electricity-maps.ts";
import { type Handle, type JsonService, startJsonService } from "../../support/services/json-service.ts";

/** 2026-11-20T22:20:00Z: within an hour. */
const NOW = 1_795_213_200;
const PRESENT = NOW - 1200;
const folder = mkdtempSync(join(tmpdir(), "landfall-forecasts-"));
const tokenFile = join(folder, "token");
writeFileSync(tokenFile, "s3cret\n");

const open: { close(): Promise<void> }[] = [];
const kept = <T extends { close(): Promise<void> }>(service: T): T => {
  open.push(service);
  return service;
};
afterEach(() => Promise.all(open.splice(0).map((service) => service.close())));

const QUICK = { retries: 0, timeoutMs: 400, breakAfter: 100 };

/** What the only source of these settings said about these zones, asked once. */
async function ask(source: object, zones: string[], measured: object[] = []): Promise<ForecastSource> {
  const settings = checkForecastSettings({ sources: [source], measured }, join(folder, "settings.yaml"));
  const cache = openForecastCache({
    settings,
    onChange: () => undefined,
    onProblem: () => undefined,
    forecastHours,
    folder: null,
    random: () => 0.5,
  });
  await cache.follow(zones);
  await cache.stop();
  const [known] = cache.book().sources;
  if (known === undefined) throw new TypeError("no source");
  return known;
}

const dayOf = (time: number): number => 100 + ((time / HOUR_SECONDS) % 24);
const grid = async (more: object = {}): Promise<JsonService> =>
  kept(
    await startElectricityMaps({ token: "s3cret", nowSeconds: () => NOW, zones: { DE: dayOf, FR: () => 50 }, ...more }),
  );

describe("Electricity Maps", () => {
  it("returns a forecast per zone, with the token of a mounted file, and the measured present first", async () => {
    const { url, asked } = await grid();
    const source = { name: "grid", type: "electricity-maps", url, tokenFile: "token", horizonHours: 24, http: QUICK };
    const { zones, problems, problem } = await ask(source, ["DE", "FR"]);
    expect(problem).toBeNull();
    expect(problems).toEqual({});
    expect(zones["DE"]).toMatchObject({
      issuedAt: PRESENT + 60,
      start: PRESENT,
      stepSeconds: HOUR_SECONDS,
      band: null,
    });
    expect(zones["DE"]?.values).toEqual(Array.from({ length: 25 }, (_, hour) => dayOf(PRESENT + hour * HOUR_SECONDS)));
    expect(zones["FR"]?.values.every((value) => value === 50)).toBe(true);
    expect(asked).toContain("/v3/carbon-intensity/forecast?zone=DE&horizonHours=24&temporalGranularity=hourly");
  });

  it("reports problems by zone, and keeps the other zones", async () => {
    const { url } = await grid();
    const source = { name: "grid", type: "electricity-maps", url, tokenFile: "token", http: QUICK };
    const { zones, problems } = await ask(source, ["FR", "XX"]);
    expect(Object.keys(zones)).toEqual(["FR"]);
    expect(problems["XX"]).toMatchObject({ code: "FORECAST_STATUS", params: { status: 404 } });
  });

  it("reports a wrong token, a plan without forecasts and a missing token, each with a code", async () => {
    const { url } = await grid({ token: "other" });
    const source = { name: "grid", type: "electricity-maps", url, tokenFile: "token", http: QUICK };
    expect((await ask(source, ["DE"])).problems["DE"]).toMatchObject({ params: { status: 401 } });
    const poor = await grid({ forecasts: false });
    expect((await ask({ ...source, url: poor.url }, ["DE"])).problems["DE"]).toMatchObject({ params: { status: 403 } });
    const lost = await ask({ ...source, tokenFile: "nowhere" }, ["DE"]);
    expect(lost.problems["DE"]?.code).toBe("FORECAST_TOKEN");
  });
});

describe("Carbon Aware SDK", () => {
  const generatedAt = (): number => PRESENT;

  it("returns five-minute figures of the zones' locations", async () => {
    const { url, asked } = kept(await startCarbonAwareSdk({ generatedAt, locations: { swedencentral: [20, 30, 40] } }));
    const locations = { "SE-SE3": "swedencentral", DE: "germany" };
    const source = { name: "sdk", type: "carbon-aware-sdk", url, locations, http: QUICK };
    const { zones, problems } = await ask(source, ["FR"]);
    expect(zones).toEqual({
      "SE-SE3": { issuedAt: PRESENT, start: PRESENT, stepSeconds: 300, values: [20, 30, 40], band: null },
    });
    expect(problems["DE"]).toMatchObject({ code: "FORECAST_STATUS", params: { status: 400 } });
    expect(asked).toHaveLength(2);
  });
});

/** A model behind the Open Inference Protocol that says the mean of what it is told, in the shape that `change` gives it. */
const model =
  (change: (row: number[]) => object[]): Handle =>
  ({ url, body, method }) => {
    if (method !== "POST" || url.pathname !== "/v2/models/carbon-DE/infer")
      return { status: 404, body: { error: "Model not found" } };
    const { inputs } = JSON.parse(body) as { inputs: { name: string; data: number[] }[] };
    const tensor = (name: string): number[] => inputs.find((input) => input.name === name)?.data ?? [];
    const history = tensor("history");
    const mean = history.reduce((sum, value) => sum + value, 0) / history.length;
    const row = Array.from({ length: tensor("horizon")[0] ?? 0 }, () => mean);
    return { status: 200, body: { model_name: "carbon-DE", outputs: change(row) } };
  };
const tensor = (name: string, data: number[]) => ({ name, shape: [1, data.length], datatype: "FP64", data });

describe("Open Inference Protocol", () => {
  const inference = (url: string): object => ({
    ...{ name: "model", type: "open-inference", url, measured: "hours", horizonHours: 48, http: QUICK },
  });

  it("sends a zone's measured hours to a model and reads its figures with their band", async () => {
    const { url } = kept(
      await startJsonService(model((row) => [tensor("intensity", row), tensor("low", row), tensor("high", row)])),
    );
    const maps = await grid();
    const measured = { name: "hours", type: "electricity-maps", url: maps.url, tokenFile: "token", http: QUICK };
    const { zones, problems } = await ask(inference(url), ["DE", "FR"], [measured]);
    // The day's mean; the hours end with the one that has begun.
    expect(zones["DE"]).toMatchObject({ issuedAt: PRESENT, start: PRESENT + HOUR_SECONDS, stepSeconds: HOUR_SECONDS });
    expect(zones["DE"]?.values).toHaveLength(48);
    expect(zones["DE"]?.values[0]).toBeCloseTo(111.5, 9);
    expect(zones["DE"]?.band?.low).toHaveLength(48);
    expect(problems["FR"]).toMatchObject({ code: "FORECAST_STATUS", params: { status: 404 } });
    expect(problems["FR"]?.params["detail"]).toContain("Model not found");
  });

  it.each([
    ["too few figures", (row: number[]) => [tensor("intensity", row.slice(1))], "FORECAST_ANSWER"],
    ["another tensor", (row: number[]) => [tensor("other", row)], "FORECAST_ANSWER"],
    [
      "negative figures",
      (row: number[]) => [
        tensor(
          "intensity",
          row.map(() => -1),
        ),
      ],
      "FORECAST_VALUE",
    ],
    [
      "absurd figures",
      (row: number[]) => [
        tensor(
          "intensity",
          row.map(() => 1e6),
        ),
      ],
      "FORECAST_VALUE",
    ],
  ])("does not believe %s", async (_name, change, code) => {
    const { url } = kept(await startJsonService(model(change)));
    const maps = await grid();
    const measured = { name: "hours", type: "electricity-maps", url: maps.url, tokenFile: "token", http: QUICK };
    expect((await ask(inference(url), ["DE"], [measured])).problems["DE"]?.code).toBe(code);
  });

  it("reports missing measured hours of a model", async () => {
    const { url } = kept(await startJsonService(model((row) => [tensor("intensity", row)])));
    writeFileSync(join(folder, "few.csv"), "zone,time,gco2_per_kwh\nDE,2026-11-20T21:00:00Z,5\n");
    const { problems } = await ask(inference(url), ["DE"], [{ name: "hours", type: "file", path: "few.csv" }]);
    expect(problems["DE"]).toMatchObject({ code: "FORECAST_MEASURED", params: { hours: 1, measured: "hours" } });
  });
});

describe("files", () => {
  const file = (name: string, text: string): object => {
    writeFileSync(join(folder, name), text);
    return { name, type: "file", path: name };
  };

  it("reads CSV with bands and the time of issue, in any order of lines", async () => {
    const source = file(
      "good.csv",
      "# from the grid operator\nzone,time,gco2_per_kwh,low,high,issued_at\n" +
        "DE,2026-11-20T23:00:00+00:00,210,200,220,2026-11-20T20:00:00Z\nDE,2026-11-20T22:00:00Z,200,190,210,\n",
    );
    expect((await ask(source, ["DE"])).zones).toEqual({
      DE: {
        ...{ issuedAt: NOW - 8400, start: PRESENT, stepSeconds: HOUR_SECONDS, values: [200, 210] },
        band: { low: [190, 200], high: [210, 220] },
      },
    });
  });

  it("reads JSON; without a time of issue, the first figure's time counts", async () => {
    const zones = { DE: { start: "2026-11-20T22:00:00Z", stepMinutes: 15, values: [1, 2, 3] } };
    const known = await ask(file("good.json", JSON.stringify({ zones })), ["DE"]);
    expect(known.zones["DE"]).toMatchObject({ issuedAt: PRESENT, stepSeconds: 900, values: [1, 2, 3], band: null });
  });

  it.each([
    ["empty.csv", "", "FORECAST_FILE"],
    ["page.csv", "<html><body>Sign in</body></html>", "FORECAST_FILE"],
    ["columns.csv", "region,when,value\nDE,1,2\n", "FORECAST_FILE"],
    ["time.csv", "zone,time,gco2_per_kwh\nDE,yesterday,5\n", "FORECAST_FILE"],
    ["shape.json", '{"zones": {"DE": {"values": [1]}}}', "FORECAST_FILE"],
    ["broken.json", '{"zones": {', "FORECAST_FILE"],
  ])("%s is no forecast", async (name, text, code) => {
    expect((await ask(file(name, text), ["DE"])).problem?.code).toBe(code);
  });

  it("rejects a zone whose figures are outside their band: low and high were swapped", async () => {
    const zones = { DE: { start: "2026-11-20T22:00:00Z", values: [310, 295], low: [340, 330], high: [280, 260] } };
    const { problems } = await ask(file("swapped.json", JSON.stringify({ zones })), ["DE"]);
    expect(problems["DE"]).toMatchObject({ code: "FORECAST_BAND", params: { value: 310, low: 340, high: 280 } });
  });

  it.each([
    ["a gap", "2026-11-20T22:00:00Z,5\nDE,2026-11-20T23:00:00Z,5\nDE,2026-11-21T01:00:00Z,5", "FORECAST_GAP"],
    ["a negative figure", "2026-11-20T22:00:00Z,-1", "FORECAST_VALUE"],
    ["an absurd figure", "2026-11-20T22:00:00Z,99999", "FORECAST_VALUE"],
    ["no figure", "2026-11-20T22:00:00Z,n/a", "FORECAST_VALUE"],
  ])("does not believe a zone with %s", async (name, rows, code) => {
    const text = `zone,time,gco2_per_kwh\nFR,2026-11-20T22:00:00Z,5\nDE,${rows}\n`;
    const { zones, problems } = await ask(file(`${name.replaceAll(" ", "-")}.csv`, text), ["DE", "FR"]);
    expect(problems["DE"]?.code).toBe(code);
    expect(Object.keys(zones)).toEqual(["FR"]);
  });
});

describe("settings", () => {
  it.each([
    ["an unknown type", { sources: [{ name: "a", type: "oracle" }] }],
    ["a misspelt field", { sources: [{ name: "a", type: "file", path: "x", maxAge: 1 }] }],
    ["a name twice", { sources: [1, 2].map(() => ({ name: "a", type: "file", path: "x" })) }],
    ["measured hours of nobody", { sources: [{ name: "a", type: "open-inference", url: "http://m", measured: "b" }] }],
    ["no url", { sources: [{ name: "a", type: "carbon-aware-sdk", locations: { DE: "x" } }] }],
    ["a url of another kind", { sources: [{ name: "a", type: "electricity-maps", url: "file:///etc/passwd" }] }],
    ["a list", []],
  ])("%s is refused", (_name, value) => {
    expect(() => checkForecastSettings(value, "settings.yaml")).toThrow(
      expect.objectContaining({ code: "FORECAST_SETTINGS" }),
    );
  });
});
