import { describe, expect, it } from "vitest";
import { passedThresholds, rise } from "../../../src/impact/passed-thresholds.ts";
import { sumUp } from "../../../src/impact/sum-up.ts";
import type { Impact, Side } from "../../../src/impact/compare-decisions.ts";

const side = (price: number | null, carbon: number | null): Side => ({
  allowed: true,
  place: "aws/eu-west-1",
  instanceType: "t3.small",
  start: null,
  codes: [],
  message: null,
  price,
  carbon,
});
const impact = (before: Side, after: Side, change: Impact["change"] = "moved"): Impact => ({
  object: { kind: "VmTemplate", name: "a", namespace: "b" },
  change,
  before,
  after,
});

describe("thresholds", () => {
  it("apply to increases only, and skip a figure that one side lacks", () => {
    const summary = sumUp([
      impact(side(100, 50), side(110, 40)),
      impact(side(null, 10), side(5, null)),
      impact(side(1, 1), side(1, 1), "none"),
    ]);
    expect(summary).toMatchObject({
      objects: 3,
      changes: { moved: 2, none: 1, "newly denied": 0 },
      price: { before: 101, after: 111, objects: 2 },
      carbon: { before: 51, after: 41, objects: 2 },
    });
    const limits = { newlyDenied: 0, moved: 2, costRise: 5, carbonRise: 0 };
    expect(passedThresholds(summary, limits)).toEqual(["cost: +9.9 %, at most 5 %"]);
    expect(passedThresholds(summary, { newlyDenied: null, moved: null, costRise: null, carbonRise: null })).toEqual([]);
  });

  it("an increase from zero is infinite", () => {
    expect(rise({ before: 0, after: 0, objects: 0 })).toBe(0);
    expect(rise({ before: 0, after: 1, objects: 1 })).toBe(Infinity);
    expect(rise({ before: 4, after: 3, objects: 1 })).toBe(-25);
  });
});
