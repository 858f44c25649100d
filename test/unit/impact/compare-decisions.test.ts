import { expect, it } from "vitest";
import { compareDecisions } from "../../../src/impact/compare-decisions.ts";
import type { Decision, Placement } from "../../../src/model/decision.ts";

const placement = {
  ...{ provider: "gcp", region: "europe-west3", instanceType: "n2-standard-2", pricePerHour: 0.1, gramsCO2: 12 },
  ...{ start: "2026-11-22T00:00:00Z", end: "2026-11-22T12:00:00Z" },
} as unknown as Placement;
const decision = (changes: Partial<Placement>): Decision =>
  ({ allowed: true, denials: [], object: {}, placement: { ...placement, ...changes } }) as unknown as Decision;

it("counts the price of a run for the hours in which its machine is on, and not for its pauses", () => {
  const segments = [
    { start: "2026-11-22T00:00:00Z", end: "2026-11-22T01:00:00Z" },
    { start: "2026-11-22T10:00:00Z", end: "2026-11-22T12:00:00Z" },
  ];
  const { before, after } = compareDecisions(decision({}), decision({ segments }));
  expect([before.price, after.price]).toEqual([expect.closeTo(1.2), expect.closeTo(0.3)]);
  expect(compareDecisions(decision({ end: null }), decision({})).before.price).toBeCloseTo(73);
});
