import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ZoneForecast } from "../../../src/model/places/forecast.ts";
import { carbonTable } from "../../support/carbon-table.ts";
import { HOUR_SECONDS } from "../../../src/model/time.ts";
import { CarbonCurve, ForecastCurve } from "../../../src/placement/curves.ts";
import { SCALE } from "../../support/scale.ts";

const START = 1_795_212_000;
const rest = new CarbonCurve(carbonTable({ yearly: 100, hourOfWeek: null, source: "the year's mean" }));

const forecastOf = (values: number[], stepSeconds = HOUR_SECONDS, start = START): ZoneForecast => ({
  issuedAt: start,
  start,
  stepSeconds,
  values,
  band: { low: values.map((value) => value / 2), high: values.map((value) => value * 2) },
});

/** The mean minute by minute: slow, and too simple to be wrong. */
function slowMean({ values, stepSeconds, start: first }: ZoneForecast, start: number, minutes: number): number {
  let sum = 0;
  for (let minute = 0; minute < minutes; minute++) {
    const step = Math.floor((start + minute * 60 - first) / stepSeconds);
    const isLeadIn = step < 0 && start + minute * 60 >= first - HOUR_SECONDS;
    sum += (isLeadIn ? values[0] : values[step]) ?? 100;
  }
  return sum / minutes;
}

describe("ForecastCurve", () => {
  it("agrees with a sum over every minute, before, in and after the forecast, for every step", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 80 }),
        fc.constantFrom(300, 900, 1800, HOUR_SECONDS),
        fc.integer({ min: -300, max: 6000 }),
        fc.integer({ min: 1, max: 3000 }),
        (values, step, from, minutes) => {
          const forecast = forecastOf(values, step);
          const [curve, start] = [new ForecastCurve("test", forecast, rest), START + from * 60];
          expect(curve.meanOver(start, minutes * 60)).toBeCloseTo(slowMean(forecast, start, minutes), 6);
        },
      ),
      { numRuns: 200 * SCALE, seed: 5 },
    );
  });

  it("is followed by the next forecast, then by climatology", () => {
    const second = new ForecastCurve("second", forecastOf([50, 50, 50, 50]), rest);
    const curve = new ForecastCurve("first", forecastOf([10, 20]), second);
    const hours = [0, 1, 2, 3, 4].map((hour) => curve.meanOver(START + hour * HOUR_SECONDS, HOUR_SECONDS));
    expect(hours).toEqual([10, 20, 50, 50, 100]);
    expect(curve.meanOver(START, 5 * HOUR_SECONDS)).toBeCloseTo(46, 9);
    expect(curve).toMatchObject({ source: "first", issuedAt: START, until: START + 4 * HOUR_SECONDS });
  });

  it("returns an error band only for a run that it covers entirely", () => {
    const curve = new ForecastCurve("test", forecastOf([10, 30]), rest);
    expect(curve.bandOver(START, 2 * HOUR_SECONDS)).toEqual({ low: 10, high: 40 });
    expect(curve.bandOver(START + HOUR_SECONDS, 2 * HOUR_SECONDS)).toBeNull();
    const bare = new ForecastCurve("test", { ...forecastOf([10, 30]), band: null }, rest);
    expect(bare.bandOver(START, HOUR_SECONDS)).toBeNull();
  });
});
