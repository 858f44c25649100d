import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hourOfWeek } from "../../../src/model/time.ts";
import { CarbonCurve } from "../../../src/placement/carbon-curve.ts";

const week = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 168, maxLength: 168 });

/** The mean second by second: slow, and too simple to be wrong. */
function slowMean(hours: readonly number[], start: number, seconds: number): number {
  let sum = 0;
  for (let second = 0; second < seconds; second++) sum += hours[hourOfWeek(start + second)] ?? 0;
  return sum / seconds;
}

describe("CarbonCurve", () => {
  it("agrees with a sum over every second of the run", () => {
    fc.assert(
      fc.property(
        week,
        fc.integer({ min: 0, max: 2_000_000_000 }),
        fc.integer({ min: 1, max: 30_000 }),
        (hours, start, seconds) => {
          const curve = new CarbonCurve({ yearly: 1, hourOfWeek: hours, source: "test" });
          expect(curve.meanOver(start, seconds)).toBeCloseTo(slowMean(hours, start, seconds), 6);
        },
      ),
      { numRuns: 50, seed: 1 },
    );
  });

  it("repeats every week", () => {
    const curve = new CarbonCurve({
      yearly: 1,
      hourOfWeek: Array.from({ length: 168 }, (_, hour) => hour),
      source: "test",
    });
    expect(curve.meanOver(1_795_172_400 + 604_800, 7200)).toBe(curve.meanOver(1_795_172_400, 7200));
    expect(curve.meanOver(0, 3 * 604_800)).toBeCloseTo(83.5, 9);
  });

  it("is flat where only a yearly figure is known", () => {
    const curve = new CarbonCurve({ yearly: 321, hourOfWeek: null, source: "test" });
    expect(curve.meanOver(1_795_172_411, 5000)).toBeCloseTo(321, 9);
  });
});
