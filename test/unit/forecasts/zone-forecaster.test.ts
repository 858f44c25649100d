import { describe, expect, it } from "vitest";
import { ZoneForecaster } from "../../../src/forecast/zone-forecaster.ts";
import { seriesOf } from "../../support/ml/hourly-series.ts";

const HOUR = 3600;

describe("the embedded forecaster", () => {
  it("never looks ahead: the hours to come change nothing", () => {
    const series = seriesOf("DE");
    const full = new ZoneForecaster(series);
    const now = series.start + 1500 * HOUR;
    const known = series.values.slice(0, 1500);
    const blind = new ZoneForecaster({
      ...series,
      values: Float64Array.from([...known, ...new Array<number>(300).fill(1e6)]),
    });
    for (const forecaster of [full, blind]) forecaster.advance(now);
    for (const lead of [0, 1, 24, 100, 191]) {
      const expected = full.curveAt(now).meanOver(now + lead * HOUR, HOUR);
      expect(blind.curveAt(now).meanOver(now + lead * HOUR, HOUR)).toBe(expected);
    }
  });

  it("is better than the mean of the same hours of the last week, and knows how far it may be wrong", () => {
    const series = seriesOf("FR");
    const forecaster = new ZoneForecaster(series);
    let [own, plain, count] = [0, 0, 0];
    for (let hour = 2000; hour < 5000; hour += 61) {
      forecaster.advance(series.start + hour * HOUR);
      const curve = forecaster.curveAt(series.start + hour * HOUR);
      for (let lead = 0; lead < 48; lead++) {
        const actual = series.values[hour + lead] ?? 0;
        const days = [1, 2, 3, 4, 5, 6, 7].map(
          (day) => series.values[hour + lead - 24 * (day + (lead >= 24 ? 1 : 0))] ?? 0,
        );
        plain += Math.abs(actual - days.reduce((sum, value) => sum + value, 0) / 7);
        own += Math.abs(actual - curve.meanOver(series.start + (hour + lead) * HOUR, HOUR));
        count += 1;
      }
    }
    expect(count).toBe(50 * 48);
    expect(own).toBeLessThan(0.9 * plain);
    expect(forecaster.errorAt(48)).toBeGreaterThan(forecaster.errorAt(1));
  });
});
