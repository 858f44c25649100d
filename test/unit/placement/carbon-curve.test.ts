import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { carbonTable } from "../../support/carbon-table.ts";
import { DAY_SECONDS, HOUR_SECONDS, hourOfWeek } from "../../../src/model/time.ts";
import { CarbonCurve } from "../../../src/placement/curves.ts";
import { SCALE } from "../../support/scale.ts";

const week = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 168, maxLength: 168 });
const year = fc.array(week, { minLength: 12, maxLength: 12 });
const curveOf = (hours: number[][] | number[] | null): CarbonCurve =>
  new CarbonCurve(carbonTable({ yearly: 321, hourOfWeek: hours, source: "test" }));
/** A figure for each month: 1 in January, 12 in December. */
const byMonth = Array.from({ length: 12 }, (_, month) => new Array<number>(168).fill(month + 1));
const at = (time: string): number => Date.parse(time) / 1000;

/** The mean second by second: slow, and too simple to be wrong. */
function slowMean(hours: readonly (readonly number[])[], start: number, seconds: number): number {
  let sum = 0;
  for (let second = start; second < start + seconds; second++) {
    sum += hours[new Date(second * 1000).getUTCMonth()]?.[hourOfWeek(second)] ?? 0;
  }
  return sum / seconds;
}

describe("CarbonCurve", () => {
  it("agrees with a sum over every second of the run", () => {
    const start = fc.integer({ min: 0, max: 2_000_000_000 });
    const check = (hours: number[][], from: number, seconds: number): void => {
      expect(curveOf(hours).meanOver(from, seconds)).toBeCloseTo(slowMean(hours, from, seconds), 6);
    };
    fc.assert(fc.property(year, start, fc.integer({ min: 1, max: 30_000 }), check), { numRuns: 40 * SCALE, seed: 1 });
  });

  it.each([
    ["the end of January", "2026-01-31T22:00:00Z", 8, (2 * 1 + 6 * 2) / 8],
    ["the end of February", "2026-02-28T12:00:00Z", 24, 2.5],
    ["29 February of a leap year", "2028-02-28T12:00:00Z", 24, 2],
    ["the end of February of a leap year", "2028-02-29T18:00:00Z", 24, (6 * 2 + 18 * 3) / 24],
    ["the end of the year", "2026-12-31T23:00:00Z", 3, (12 + 2 * 1) / 3],
    ["a quarter of an hour before the end of a month", "2026-04-30T23:45:00Z", 1, (0.25 * 4 + 0.75 * 5) / 1],
    ["three months", "2026-02-15T00:00:00Z", 59 * 24, (14 * 2 + 31 * 3 + 14 * 4) / 59],
  ])("takes each hour of a run over %s from its own month, UTC", (_, start, hours, mean) => {
    expect(curveOf(byMonth).meanOver(at(start), hours * HOUR_SECONDS)).toBeCloseTo(mean, 9);
  });

  it("returns the same figure regardless of earlier calls", () => {
    const hours = byMonth.map((values, month) => values.map((value, hour) => value + ((hour * 7 + month) % 13) / 10));
    const [early, late] = [at("2023-03-31T21:13:07Z"), at("2031-08-30T05:00:00Z")];
    const fresh = curveOf(hours).meanOver(late, 400 * DAY_SECONDS + 17);
    const used = curveOf(hours);
    used.meanOver(late + 5000 * DAY_SECONDS, 90 * DAY_SECONDS);
    used.meanOver(early, 200 * DAY_SECONDS);
    expect(used.meanOver(late, 400 * DAY_SECONDS + 17)).toBe(fresh);
  });

  it("adds up the months of ten years at most, also for a run of thousands of years", () => {
    // Each month is looked up in the calendar.
    const lookups = vi.spyOn(Date, "UTC");
    expect(curveOf(byMonth).meanOver(at("2026-01-01T00:00:00Z"), 999_999 * 7 * DAY_SECONDS)).toBeCloseTo(6.5, 1);
    const months = 10 * 12;
    expect(lookups.mock.calls.length).toBeGreaterThan(months);
    expect(lookups.mock.calls.length).toBeLessThan(3 * months);
    lookups.mockRestore();
  });

  it("repeats every week if there is one week for all months", () => {
    const curve = curveOf(Array.from({ length: 168 }, (_, hour) => hour));
    expect(curve.meanOver(1_795_172_400 + 604_800, 7200)).toBe(curve.meanOver(1_795_172_400, 7200));
    expect(curve.meanOver(0, 3 * 604_800)).toBeCloseTo(83.5, 9);
  });

  it("is constant with only a yearly figure", () => {
    expect(curveOf(null).meanOver(1_795_172_411, 5000)).toBeCloseTo(321, 9);
  });

  it("reports its resolution", () => {
    const sources = [byMonth, new Array<number>(168).fill(5), null].map((hours) => curveOf(hours).source);
    expect(sources).toEqual([
      "climatology, month × hour of week: test",
      "climatology, hour of week: test",
      "climatology, yearly mean only: test",
    ]);
  });
});
