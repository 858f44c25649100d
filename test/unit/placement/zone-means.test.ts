import { describe, expect, it } from "vitest";
import { HourlyCurve } from "../../../src/model/places/intensity.ts";
import { possibleStarts, startAt } from "../../../src/placement/possible-starts.ts";
import { type Waiting, zoneMeans } from "../../../src/placement/zone-means.ts";
import { HOUR, NOW } from "./requests.ts";

const QUARTER = HOUR / 4;

/** The start that a run of an hour takes, in quarters of an hour after the full hour before `now`. */
function startOf(values: readonly number[], nowSeconds: number, waiting: Waiting): number {
  const details = { source: "test", issuedAt: NOW, until: null };
  const curve = new HourlyCurve(NOW, Float64Array.from(values), details);
  const window = {
    nowSeconds,
    durationSeconds: HOUR,
    deadline: NOW + 5 * HOUR,
    pinnedStart: null,
    horizonSeconds: 168 * HOUR,
  };
  const starts = possibleStarts(window);
  const { best } = zoneMeans(curve, starts, HOUR, { nowSeconds, waiting });
  return (startAt(starts, best) - NOW) / QUARTER;
}

const waits = (errors: readonly number[]): Waiting => ({ errors: Float64Array.from(errors), patience: 1, charge: 0 });

describe("the option value of waiting", () => {
  const slowly = [100, 104, 108, 112, 116, 120];

  it("is zero within an hour, without new data: a run that only gets worse starts at once", () => {
    expect(startOf(slowly, NOW, waits([0, 3, 6, 9, 12]))).toBe(0);
    expect(startOf(slowly, NOW + QUARTER, waits([0, 3, 6, 9, 12]))).toBe(1);
  });

  it("depends on the full hours until the start, regardless of the time within the hour", () => {
    expect(startOf(slowly, NOW, waits([0, 5, 5, 5, 5]))).toBe(4);
    expect(startOf(slowly, NOW + 3 * QUARTER, waits([0, 5, 5, 5, 5]))).toBe(4);
    expect(startOf(slowly, NOW, waits([0, 1, 9, 9, 9]))).toBe(8);
  });
});
