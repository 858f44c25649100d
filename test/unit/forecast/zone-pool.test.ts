import { describe, expect, it } from "vitest";
import { neighbours } from "../../../src/forecast/neighbours.ts";
import { PooledForecaster } from "../../../src/forecast/pooled-forecaster.ts";
import { ZonePool } from "../../../src/forecast/zone-pool.ts";
import { ZoneForecaster } from "../../../src/forecast/zone-forecaster.ts";
import { HOUR_SECONDS } from "../../../src/model/time.ts";
import { random } from "../../../src/simulate/random.ts";

const HOURS = 60 * 24;
const SITES = new Map([
  ["WEST", { latitude: 52, longitude: 0 }],
  ["EAST", { latitude: 52, longitude: 10 }],
]);

/** Weather that is in the west half a day before it is in the east. */
function madeSeries(): Map<string, Float64Array> {
  const next = random(7);
  const weather = new Float64Array(HOURS + 12);
  for (let hour = 1; hour < weather.length; hour++) {
    weather[hour] = 0.97 * (weather[hour - 1] ?? 0) + 30 * (next() - 0.5);
  }
  const at = (hour: number, offset: number): number =>
    300 + 40 * Math.sin((2 * Math.PI * hour) / 24) + (weather[hour + offset] ?? 0);
  return new Map([
    ["WEST", Float64Array.from({ length: HOURS }, (_, hour) => at(hour, 12))],
    ["EAST", Float64Array.from({ length: HOURS }, (_, hour) => at(hour, 0))],
  ]);
}

const poolOf = (values: ReadonlyMap<string, Float64Array>, sites = SITES): ZonePool =>
  new ZonePool(new Map([...values].map(([zone, one]) => [zone, { start: 0, values: one, before: 300 }])), sites);

/** Mean squared error of the forecasts half a day ahead. */
function errorOf(pool: ZonePool, values: Float64Array): number {
  let [sum, count] = [0, 0];
  for (let nowSeconds = 45 * 24; nowSeconds < HOURS - 12; nowSeconds += 5, count++) {
    pool.advance(nowSeconds * HOUR_SECONDS);
    sum += ((pool.valuesAt("EAST", nowSeconds * HOUR_SECONDS)?.[11] ?? Infinity) - (values[nowSeconds + 11] ?? 0)) ** 2;
  }
  return sum / count;
}

describe("zones that learn together", () => {
  it("do not use future hours of any zone: other futures, the same forecast", () => {
    const nowSeconds = 50 * 24 + 7;
    const values = madeSeries();
    const other = new Map(
      [...values].map(([zone, one]) => [zone, one.map((value, at) => (at < nowSeconds ? value : 900))]),
    );
    const [one, two] = [values, other].map((series) => {
      const pool = poolOf(series);
      pool.advance(nowSeconds * HOUR_SECONDS);
      return pool.valuesAt("EAST", nowSeconds * HOUR_SECONDS);
    });
    expect(one?.length).toBe(192);
    expect(two).toEqual(one);
  });

  it("reproduce earlier forecasts, however far they have been advanced since", () => {
    const nowSeconds = 30 * 24 + 5;
    const pool = poolOf(madeSeries());
    pool.advance(nowSeconds * HOUR_SECONDS);
    const first = pool.valuesAt("EAST", nowSeconds * HOUR_SECONDS);
    pool.advance(55 * 24 * HOUR_SECONDS);
    expect(pool.valuesAt("EAST", nowSeconds * HOUR_SECONDS)).toEqual(first);
  });

  it("learn from the neighbour in the west", () => {
    const values = madeSeries();
    const east = values.get("EAST") ?? new Float64Array(0);
    expect(errorOf(poolOf(values), east)).toBeLessThan(0.6 * errorOf(poolOf(values, new Map()), east));
  });

  it("return null without data", () => {
    const pool = poolOf(madeSeries());
    expect(pool.valuesAt("EAST", 0)).toBeNull();
    expect(pool.valuesAt("NOWHERE", 0)).toBeNull();
  });
});

describe("the forecast of a zone among others", () => {
  it("is the mean of its own and the pooled forecast", () => {
    const [values, nowSeconds] = [madeSeries(), 40 * 24 * HOUR_SECONDS];
    const series = { start: 0, values: values.get("EAST") ?? new Float64Array(0), before: 300 };
    const [pool, alone] = [poolOf(values), new ZoneForecaster(series)];
    const both = new PooledForecaster("EAST", series, pool);
    both.advance(nowSeconds);
    alone.advance(nowSeconds);
    const [own, pooled] = [alone.valuesAt(nowSeconds), pool.valuesAt("EAST", nowSeconds)];
    expect(both.curveAt(nowSeconds).meanOver(nowSeconds + 5 * HOUR_SECONDS, HOUR_SECONDS)).toBeCloseTo(
      ((own[5] ?? 0) + (pooled?.[5] ?? 0)) / 2,
      9,
    );
    expect(both.waitErrorsAt(nowSeconds, 4)).toEqual(alone.waitErrorsAt(nowSeconds, 4));
    expect(both.curveAt(0).meanOver(0, HOUR_SECONDS)).toBe(300);
  });
});

describe("neighbours", () => {
  const far = { latitude: 40, longitude: -100 };
  /** What `other` counts for `zone` around it and in the west; 9 where that is not said. */
  const counts = (sites: Parameters<typeof neighbours>[0], zone: number, other: number): number[] =>
    [0, 1].map((area) => neighbours(sites)[zone]?.[area]?.[other] ?? 9);

  it("have more weight the nearer they are to the area, none for themselves, and a sum below one", () => {
    const sites = [SITES.get("WEST"), SITES.get("EAST"), far];
    const [around = 9, west = 0] = counts(sites, 1, 0);
    expect(west).toBeGreaterThan(1.5 * around);
    expect(west).toBeLessThan(1);
    expect(counts(sites, 1, 1)).toEqual([0, 0]);
    expect(Math.max(...counts(sites, 2, 0), ...counts(sites, 2, 1))).toBeLessThan(1e-6);
  });

  it("are empty without a site", () => {
    expect(counts([undefined, far], 0, 1)).toEqual([0, 0]);
    expect(counts([undefined, far], 1, 0)).toEqual([0, 0]);
  });
});
