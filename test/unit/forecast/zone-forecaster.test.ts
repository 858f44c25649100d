import { describe, expect, it } from "vitest";
import { solveRidge } from "../../../src/forecast/solve-ridge.ts";
import { HOUR_SECONDS } from "../../../src/model/time.ts";
import { optionValue } from "../../../src/placement/option-value.ts";
import { ZoneForecaster } from "../../../src/forecast/zone-forecaster.ts";
import type { HourlyCurve } from "../../../src/model/places/intensity.ts";
import { random } from "../../../src/simulate/random.ts";
import { seriesOf } from "../../support/ml/hourly-series.ts";

const HOURS = 90 * 24;

/** A day's shape and weather that comes and goes. */
function madeSeries(seed: number): Float64Array {
  const next = random(seed);
  let weather = 0;
  return Float64Array.from({ length: HOURS }, (_, hour) => {
    weather = 0.97 * weather + 20 * (next() - 0.5);
    return 200 + 50 * Math.sin((2 * Math.PI * hour) / 24) + weather;
  });
}

function forecastAt(values: Float64Array, hour: number): HourlyCurve {
  const forecaster = new ZoneForecaster({ start: 0, values, before: 150 });
  forecaster.advance(hour * HOUR_SECONDS);
  return forecaster.curveAt(hour * HOUR_SECONDS);
}

describe("a zone that learns alone", () => {
  it("does not use future hours: other futures, the same forecast", () => {
    const nowSeconds = 60 * 24 + 7;
    const values = madeSeries(1);
    const other = values.map((value, hour) => (hour < nowSeconds ? value : 999));
    const [one, two] = [forecastAt(values, nowSeconds), forecastAt(other, nowSeconds)];
    for (let lead = 0; lead < 192; lead += 7) {
      const start = (nowSeconds + lead) * HOUR_SECONDS;
      expect(one.meanOver(start, HOUR_SECONDS)).toBe(two.meanOver(start, HOUR_SECONDS));
    }
    expect(one.issuedAt).toBe(nowSeconds * HOUR_SECONDS);
    expect(one.until).toBe((nowSeconds + 192) * HOUR_SECONDS);
  });

  it("is better than repeating the last day", () => {
    const values = madeSeries(2);
    const forecaster = new ZoneForecaster({ start: 0, values, before: 150 });
    let [ours, persistence] = [0, 0];
    for (let nowSeconds = 50 * 24; nowSeconds < 80 * 24; nowSeconds += 31) {
      forecaster.advance(nowSeconds * HOUR_SECONDS);
      const curve = forecaster.curveAt(nowSeconds * HOUR_SECONDS);
      for (let lead = 0; lead < 24; lead++) {
        const truth = values[nowSeconds + lead] ?? 0;
        ours += Math.abs(curve.meanOver((nowSeconds + lead) * HOUR_SECONDS, HOUR_SECONDS) - truth);
        persistence += Math.abs((values[nowSeconds + lead - 24] ?? 0) - truth);
      }
    }
    expect(ours).toBeLessThan(0.85 * persistence);
  });

  it("returns the mean of the year before without measured hours", () => {
    expect(forecastAt(madeSeries(3), 0).meanOver(5 * HOUR_SECONDS, 10 * HOUR_SECONDS)).toBe(150);
  });

  it("reproduces earlier forecasts, however far it has been advanced since", () => {
    const values = madeSeries(5);
    const forecaster = new ZoneForecaster({ start: 0, values, before: 150 });
    const nowSeconds = 50 * 24 + 5;
    forecaster.advance((nowSeconds + 400) * HOUR_SECONDS);
    const [again, first] = [forecaster.curveAt(nowSeconds * HOUR_SECONDS), forecastAt(values, nowSeconds)];
    for (let lead = 0; lead < 192; lead += 7) {
      const start = (nowSeconds + lead) * HOUR_SECONDS;
      expect(again.meanOver(start, HOUR_SECONDS)).toBe(first.meanOver(start, HOUR_SECONDS));
    }
  });

  it("reports its errors about waiting: zero for no wait, smaller for overlapping runs", () => {
    const forecaster = new ZoneForecaster({ start: 0, values: madeSeries(4), before: null });
    forecaster.advance(80 * 24 * HOUR_SECONDS);
    const [short, long] = [1, 24].map((hours) => forecaster.waitErrorsAt(80 * 24 * HOUR_SECONDS, hours).errors);
    expect(short?.[0]).toBe(0);
    expect(short?.length).toBe(169);
    expect(short?.[3]).toBeGreaterThan(3 * (long?.[3] ?? Infinity));
    expect(long?.[48]).toBeGreaterThan(long?.[6] ?? Infinity);
    expect(forecaster.waitErrorsAt(3 * 24 * HOUR_SECONDS, 8).greatest).toBe(0);
  });

  it("is better than the mean of the same hours of the last week", () => {
    const series = seriesOf("FR");
    const forecaster = new ZoneForecaster(series);
    let [own, plain, count] = [0, 0, 0];
    for (let hour = 2000; hour < 5000; hour += 61) {
      forecaster.advance(series.start + hour * HOUR_SECONDS);
      const curve = forecaster.curveAt(series.start + hour * HOUR_SECONDS);
      for (let lead = 0; lead < 48; lead++) {
        const actual = series.values[hour + lead] ?? 0;
        const days = [1, 2, 3, 4, 5, 6, 7].map(
          (day) => series.values[hour + lead - 24 * (day + (lead >= 24 ? 1 : 0))] ?? 0,
        );
        plain += Math.abs(actual - days.reduce((sum, value) => sum + value, 0) / 7);
        own += Math.abs(actual - curve.meanOver(series.start + (hour + lead) * HOUR_SECONDS, HOUR_SECONDS));
        count += 1;
      }
    }
    expect(count).toBe(50 * 48);
    expect(own).toBeLessThan(0.9 * plain);
  });
});

describe("the option value of waiting", () => {
  it("is zero without time left, and grows for up to a week", () => {
    expect(optionValue({ nowSeconds: 0, latestStart: 0, waitingCost: 0 })).toBe(0);
    const [day, week, month] = [24, 168, 720].map((hours) =>
      optionValue({ nowSeconds: 0, latestStart: hours * HOUR_SECONDS, waitingCost: 0 }),
    );
    expect(day).toBeGreaterThan(0);
    expect(week).toBeGreaterThan(day ?? Infinity);
    expect(month).toBe(week);
  });

  it("counts only the time for which waiting pays, which the cost shortens by its square", () => {
    const at = (waitingCost: number, hours: number): number =>
      optionValue({ nowSeconds: 0, latestStart: hours * HOUR_SECONDS, waitingCost });
    expect(at(0.06, 168)).toBeCloseTo(at(0, 16), 9);
    expect(at(0.03, 168)).toBeCloseTo(at(0, 64), 9);
    expect(at(0.06, 4)).toBe(at(0, 4));
  });
});

describe("ridge regression", () => {
  it("finds the weights of exact data and stays at the prior without data", () => {
    const gram = Float64Array.of(2, 1, 1, 3);
    const moment = Float64Array.of(2 * 4 - 1, 4 - 3);
    expect([...solveRidge(gram, moment, new Float64Array(2), 0)].map((w) => Math.round(w * 1e6) / 1e6)).toEqual([
      4, -1,
    ]);
    const prior = Float64Array.of(0.5, -2);
    expect([...solveRidge(new Float64Array(4), new Float64Array(2), prior, 1)]).toEqual([0.5, -2]);
  });
});
