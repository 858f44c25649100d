import { describe, expect, it } from "vitest";
import { DAY_HOURS } from "../../../src/model/time.ts";
import { readCarbonSeries } from "../../../src/simulate/read-carbon-series.ts";
import { forecastHours, asWeights } from "../../../src/forecast/forecast-hours.ts";
import { learnSharedWeights } from "../../../src/forecast/learn-shared-weights.ts";
import { SCALE } from "../../support/scale.ts";

const HISTORY = 672;
/** The weights of these tests are learned from January to September, from other zones than those that they are held against. */
const UNTIL = 273 * DAY_HOURS;
const ZONES = ["DE", "FR", "SE-SE3", "IT-NO", "GB", "ES", "NL", "PL"];

const series = await readCarbonSeries(".", 2022);
// Every sixth of them says nearly as much in a sixth of the time; the long test takes all.
const others = [...series].filter(([zone]) => !ZONES.includes(zone)).filter((_, at) => SCALE > 1 || at % 6 === 0);
const weights = asWeights(learnSharedWeights(others.map(([, { values }]) => values.subarray(0, UNTIL))));

/** Every so many hours from October to December: the hours before, and those that came. */
const autumn = (zone: string, every: number): { measured: number[]; came: number[] }[] => {
  const found = [];
  for (let until = UNTIL; until + 192 < 8759; until += every) {
    found.push({ measured: measuredOf(zone, until), came: measuredOf(zone, until + 192, 192) });
  }
  return found;
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const measuredOf = (zone: string, until: number, hours = HISTORY): number[] => [
  ...(series.get(zone)?.values.subarray(until - hours, until) ?? []),
];

/** The mean of the last week's and of the last four weeks' same hours, and the last error, which decays: what was there before. */
function steadyHours(measured: readonly number[]): number[] {
  const mean = (target: number, known: number, step: number, count: number): number => {
    const last = target - step * Math.ceil((target - known + 1) / step);
    const hours = Array.from({ length: count }, (_, back) => measured[last - step * back]);
    const there = hours.filter((value) => value !== undefined);
    return sum(there) / there.length;
  };
  const both = (target: number, known: number): number =>
    (mean(target, known, DAY_HOURS, 7) + mean(target, known, 7 * DAY_HOURS, 4)) / 2;
  const { length } = measured;
  const last = (measured[length - 1] ?? 0) - both(length - 1, length - 1);
  return Array.from({ length: 192 }, (_, lead) => both(length + lead, length) + last * Math.exp(-(lead + 1) / 12));
}

describe("the embedded source's forecast", () => {
  it("is better than steady means in other zones and in later months", () => {
    const errors = ZONES.map((zone) => {
      let [ours, steady] = [0, 0];
      for (const { measured, came } of autumn(zone, SCALE === 1 ? 111 : 37)) {
        const [own, other] = [forecastHours(measured, weights).values, steadyHours(measured)];
        ours += sum(came.map((value, lead) => Math.abs((own[lead] ?? 0) - value)));
        steady += sum(came.map((value, lead) => Math.abs((other[lead] ?? 0) - value)));
      }
      return ours / steady;
    });
    // Measured: 0.926 in the mean, 0.896 to 0.980.
    expect(Math.max(...errors)).toBeLessThan(1);
    expect(sum(errors) / errors.length).toBeLessThan(0.97);
  });

  it("has a band that covers about 90 % of the hours in every zone", () => {
    const held = ZONES.flatMap((zone) => autumn(zone, 101)).flatMap(({ measured, came }) => {
      const { low, high } = forecastHours(measured, weights);
      return came.map((value, lead) => Number(value >= (low[lead] ?? 0) && value <= (high[lead] ?? 0)));
    });
    expect(held.length).toBeGreaterThan(20_000);
    expect(sum(held) / held.length).toBeGreaterThan(0.83);
    expect(sum(held) / held.length).toBeLessThan(0.95);
  });

  it("scales with its input: twice the figures give twice the forecast and its band", () => {
    const measured = measuredOf("FR", 5000);
    const [once, twice] = [forecastHours(measured), forecastHours(measured.map((value) => 2 * value))];
    for (const row of ["values", "low", "high"] as const) {
      expect(twice[row]).toHaveLength(192);
      for (const [lead, value] of twice[row].entries()) expect(value).toBeCloseTo(2 * (once[row][lead] ?? 0), 6);
    }
  });

  it.each([24, 48, 100, 671])("says something sensible from %i measured hours on, and how uncertain it is", (hours) => {
    const measured = measuredOf("DE", 4000, hours);
    const { values, low, high } = forecastHours(measured);
    for (const [lead, value] of values.entries()) {
      expect(value).toBeGreaterThan(0.3 * Math.min(...measured));
      expect(value).toBeLessThan(2 * Math.max(...measured));
      expect(high[lead] ?? 0).toBeGreaterThan(value);
      expect(low[lead] ?? 0).toBeLessThan(value);
    }
  });

  it("is constant without error for a constant zone", () => {
    const { values, low, high } = forecastHours(new Array<number>(HISTORY).fill(491));
    for (const row of [values, low, high]) for (const value of row) expect(value).toBeCloseTo(491, 6);
  });
});
