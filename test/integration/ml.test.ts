import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decideAlone } from "../../src/admission/decide/decide.ts";
import { openForecastCache } from "../../src/external-data/forecasts/forecast-cache.ts";
import { checkForecastSettings } from "../../src/external-data/forecasts/read-settings.ts";
import { readCarbonSeries } from "../../src/simulate/read-carbon-series.ts";
import { forecastHours, asWeights } from "../../src/forecast/forecast-hours.ts";
import { learnSharedWeights } from "../../src/forecast/learn-shared-weights.ts";
import { ZoneForecaster } from "../../src/forecast/zone-forecaster.ts";
import type { ForecastBook } from "../../src/model/places/forecast.ts";
import type { HourlySeries } from "../../src/model/places/intensity.ts";
import { HOUR_SECONDS, formatTime } from "../../src/model/time.ts";
import { vm } from "../support/admission.ts";
import { loadPolicy } from "../support/load-policy.ts";
import { SCALE } from "../support/scale.ts";
import { SERIES, seriesOf } from "../support/ml/hourly-series.ts";
import { findPython, preparePython } from "../support/ml/python.ts";
import { type ServedModels, serveModels } from "../support/ml/served-models.ts";

const HORIZON = 192;
const HISTORY = 672;
/** The models learn from January to September; what they are measured on comes after. */
const UNTIL = 273 * 24;
/** Hours between two forecasts that are measured: every hour of the day comes up. The long test measures three times as many. */
const EVERY = SCALE === 1 ? 111 : 37;
const ALL_ZONES = ["DE", "FR", "SE-SE3", "IT-NO", "GB", "ES", "NL", "PL"];
const ZONES = SCALE === 1 ? ALL_ZONES.slice(0, 4) : ALL_ZONES;

const python = findPython();

async function json(url: string, body?: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  // A connection for each: MLServer closes one that was idle for a while, which may be just when it is used again.
  const post = body === undefined ? {} : { method: "POST" as const, headers, body: JSON.stringify(body) };
  const answer = await request(url, { ...post, reset: true });
  expect(answer.statusCode).toBe(200);
  return answer.body.json();
}

/** The measured hours up to one of them, as a file that a source of measured hours reads. */
function measuredUntil(hour: number): string {
  const zones = Object.fromEntries(
    ZONES.map((zone) => {
      const { start, values } = seriesOf(zone);
      const from = hour - HISTORY;
      return [zone, { start: formatTime(start + from * HOUR_SECONDS), values: [...values.slice(from, hour)] }];
    }),
  );
  const file = join(mkdtempSync(join(tmpdir(), "landfall-measured-")), "measured.json");
  writeFileSync(file, JSON.stringify({ zones }));
  return file;
}

/** Means of absolute and root of mean squared errors over every measured forecast, gCO2eq/kWh. */
function errorsOf(series: HourlySeries, hours: readonly number[], rows: readonly (readonly number[])[]) {
  let [absolute, squared, count] = [0, 0, 0];
  for (const [index, row] of rows.entries()) {
    for (const [lead, value] of row.entries()) {
      const error = value - (series.values[(hours[index] ?? 0) + lead] ?? 0);
      absolute += Math.abs(error);
      squared += error * error;
      count += 1;
    }
  }
  return { mae: absolute / count, rmse: Math.sqrt(squared / count) };
}

/**
 * What the embedded source of the settings says at these hours: the product's own, from the same hours as the models get. Its
 * weights are learned from the same months as the models, and not from the whole year as those of the catalog.
 */
function embeddedSource({ values }: HourlySeries, hours: readonly number[], weights: Float64Array): number[][] {
  return hours.map((hour) => forecastHours([...values.slice(hour - HISTORY, hour)], weights).values);
}

/** What the forecaster that goes on learning said at these hours, which knows one zone: shown every hour before and none after. */
function learning(series: HourlySeries, hours: readonly number[]): number[][] {
  const forecaster = new ZoneForecaster(series);
  return hours.map((hour) => {
    const nowSeconds = series.start + hour * HOUR_SECONDS;
    forecaster.advance(nowSeconds);
    const curve = forecaster.curveAt(nowSeconds);
    return Array.from({ length: HORIZON }, (_, lead) => curve.meanOver(nowSeconds + lead * HOUR_SECONDS, HOUR_SECONDS));
  });
}

async function served(url: string, zone: string, series: HourlySeries, hours: readonly number[]): Promise<number[][]> {
  const rows: number[][] = [];
  for (const hour of hours) {
    const history = [...series.values.slice(hour - HISTORY, hour)];
    const { outputs } = (await json(`${url}/v2/models/carbon-${zone}/infer`, {
      inputs: [
        { name: "history", shape: [1, HISTORY], datatype: "FP64", data: history },
        { name: "start", shape: [1, 1], datatype: "INT64", data: [series.start + hour * HOUR_SECONDS] },
        { name: "horizon", shape: [1, 1], datatype: "INT64", data: [HORIZON] },
      ],
    })) as { outputs: { name: string; data: number[] }[] };
    rows.push(outputs.find(({ name }) => name === "intensity")?.data ?? []);
  }
  return rows;
}

describe("models of ml/, tracked in MLflow and served by MLServer", () => {
  let models: ServedModels;

  beforeAll(async () => {
    if (python === null) return;
    models = await serveModels(await preparePython(python), { series: SERIES, zones: ZONES, until: UNTIL });
  });
  beforeEach(({ skip }) => {
    if (python === null) skip("this machine has no python3 of version 3.11 or 3.12 with venv");
  });
  afterAll(async () => {
    if (python !== null) await models.stop();
  });

  it("have a finished run in MLflow with training data, scores and models", async () => {
    const api = `${models.mlflow}/api/2.0/mlflow`;
    const { run } = (await json(`${api}/runs/get?run_id=${models.run}`)) as {
      run: { info: { status: string }; data: Record<"params" | "metrics", { key: string; value: unknown }[]> };
    };
    expect(run.info.status).toBe("FINISHED");
    const params = Object.fromEntries(run.data.params.map(({ key, value }) => [key, value]));
    expect(params).toEqual({ zones: ZONES.join(), until: String(UNTIL), horizon: String(HORIZON) });
    expect(run.data.metrics.map(({ key }) => key)).toHaveLength(ZONES.length);
    const { files } = (await json(`${api}/artifacts/list?run_id=${models.run}&path=models`)) as {
      files: { path: string }[];
    };
    expect(files.map(({ path }) => path)).toEqual(ZONES.map((zone) => `models/${zone}.json`).sort());
    // What is served says which run it comes from.
    const metadata = await json(`${models.mlserver}/v2/models/carbon-DE/versions/${models.run}`);
    expect(metadata).toMatchObject({ name: "carbon-DE", versions: [] });
  });

  it("are asked by the cache, and a decision uses the best start that they forecast", async () => {
    const hour = UNTIL + 1000;
    const nowSeconds = seriesOf("DE").start + hour * HOUR_SECONDS;
    const source = { name: "model", type: "open-inference", url: models.mlserver, measured: "hours" };
    const measured = [{ name: "hours", type: "file", path: measuredUntil(hour) }];
    const cache = openForecastCache({
      settings: checkForecastSettings({ sources: [source], measured }, "settings.yaml"),
      onChange: () => undefined,
      onProblem: (_name, { line }) => expect.fail(line),
      forecastHours,
      folder: null,
      random: () => 0.5,
    });
    await cache.follow(ZONES);
    await cache.stop();
    const book: ForecastBook = cache.book();
    const { values, band, start } = book.sources[0]?.zones["DE"] ?? { values: [], band: null, start: 0 };
    expect(values).toHaveLength(HORIZON);
    expect(start).toBe(nowSeconds);
    expect(values.every((value, index) => value >= (band?.low[index] ?? 0) && value <= (band?.high[index] ?? 0))).toBe(
      true,
    );
    const spec = { cpu: 2, memory: 4, duration: "1h", provider: "gcp", schedulingLocation: "europe-west3" };
    const policy = await loadPolicy();
    // Without what waiting is worth and what it costs (docs/internals/scheduling.md): then the least hour of the forecast is the best one.
    const evaluate: typeof policy.evaluate = (input) => {
      const result = policy.evaluate(input);
      return { ...result, schedule: { ...result.schedule, decidedAgain: false, waitingCostPercent: 0 } };
    };
    const decision = decideAlone({
      kind: "VmTemplate",
      object: vm({ ...spec, deadline: formatTime(nowSeconds + 48 * HOUR_SECONDS) }),
      namespace: { name: "demo", labels: {}, annotations: {} },
      ...{ nowSeconds, relatedWorkloads: null, operation: "CREATE", policy: { ...policy, evaluate }, forecasts: book },
    });
    const within = values.slice(0, 48);
    expect(decision.placement?.start).toBe(formatTime(nowSeconds + within.indexOf(Math.min(...within)) * HOUR_SECONDS));
    expect(decision.placement?.carbon).toMatchObject({ zone: "DE", source: "model" });
    expect(decision.placement?.carbon?.gramsLow).toBeLessThan(decision.placement?.carbon?.gramsHigh ?? 0);
  });

  it("are at least as good as the embedded and the continuously trained forecast over the same hours", async () => {
    const length = seriesOf("DE").values.length;
    const hours = Array.from({ length: Math.ceil((length - HORIZON - UNTIL) / EVERY) }, (_, i) => UNTIL + i * EVERY);
    const known = [...(await readCarbonSeries(".", 2022)).values()].filter((_, at) => SCALE > 1 || at % 3 === 0);
    const weights = asWeights(learnSharedWeights(known.map((one) => one.values.subarray(0, UNTIL))));
    const told = [
      `gCO2eq/kWh, ${String(hours.length)} forecasts of ${String(HORIZON)} h from October to December 2022: MAE (RMSE)`,
    ];
    const ratios: Record<"source" | "learning", { mae: number; rmse: number }[]> = { source: [], learning: [] };
    const text = ({ mae, rmse }: { mae: number; rmse: number }): string => `${mae.toFixed(1)} (${rmse.toFixed(1)})`;
    for (const zone of ZONES) {
      const series = seriesOf(zone);
      const theirs = errorsOf(series, hours, await served(models.mlserver, zone, series, hours));
      const ours = {
        source: errorsOf(series, hours, embeddedSource(series, hours, weights)),
        learning: errorsOf(series, hours, learning(series, hours)),
      };
      for (const name of ["source", "learning"] as const)
        ratios[name].push({ mae: theirs.mae / ours[name].mae, rmse: theirs.rmse / ours[name].rmse });
      told.push(
        `${zone}: served ${text(theirs)}, embedded source ${text(ours.source)}, learning ${text(ours.learning)}`,
      );
    }
    for (const [name, all] of Object.entries(ratios)) {
      const mean = (of: "mae" | "rmse"): number => all.reduce((sum, ratio) => sum + ratio[of], 0) / all.length;
      told.push(`served / ${name}, mean of all zones: MAE ${mean("mae").toFixed(3)}, RMSE ${mean("rmse").toFixed(3)}`);
      expect(mean("mae"), name).toBeLessThanOrEqual(1);
      expect(mean("rmse"), name).toBeLessThanOrEqual(1);
      // Some zones fall to one, some to the other; in none is the served model far behind.
      expect(Math.max(...all.map(({ mae }) => mae)), name).toBeLessThan(1.03);
    }
    console.log(told.join("\n"));
  });
});
