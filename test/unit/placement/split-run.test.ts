import { describe, expect, it } from "vitest";
import { HourlyCurve, type IntensityCurve } from "../../../src/model/places/intensity.ts";
import type { PauseRules } from "../../../src/model/runs/pause-rules.ts";
import type { RunActivity } from "../../../src/model/runs/run-times.ts";
import { planCost } from "../../../src/placement/split/split-rest.ts";
import { type SplitRequest, stepOf } from "../../../src/placement/split/split-request.ts";
import { splitRun } from "../../../src/placement/split/split-run.ts";
import { spanOf, splitWithin } from "../../../src/placement/split/split-placement.ts";
import { SCALE } from "../../support/scale.ts";
import { costOf, leastSplit, partsOf, QUARTER } from "./exact-split.ts";
import { HOUR, randomFrom } from "./requests.ts";

const MINUTE = 60;
type Random = () => number;
const whole = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from + 1));

const NOTE = { source: "test", issuedAt: null, until: null };
const hourly = (values: readonly number[]): IntensityCurve => new HourlyCurve(0, Float64Array.from(values), NOTE);

/** Intensity by quarters of an hour, so that it changes within a short window. */
function byQuarter(values: readonly number[]): IntensityCurve {
  const curve = hourly(values);
  return { ...NOTE, meanOver: (start, seconds) => curve.meanOver(start * 4, seconds * 4) };
}

function stateOf(random: Random): RunActivity {
  const kind = random();
  if (kind < 0.5) return { is: "waiting" };
  return kind < 0.8 ? { is: "running", seconds: whole(random, 0, 8) * 600 } : { is: "paused" };
}

/** At most ten steps of a quarter of an hour, so that every choice can be tried. */
function randomCase(random: Random): SplitRequest {
  const values = Array.from({ length: 24 }, () => (random() < 0.5 ? 20 : whole(random, 100, 900)));
  const nowSeconds = HOUR - whole(random, 0, 3) * QUARTER + (random() < 0.7 ? whole(random, 1, 899) : 0);
  const workSeconds = whole(random, 1, 6) * QUARTER + (random() < 0.5 ? whole(random, -800, -1) : 0);
  const rules: PauseRules = {
    minRunSeconds: whole(random, 0, 3) * 450,
    maxPauses: whole(random, 0, 4),
    resumeSeconds: whole(random, 0, 4) * 3 * MINUTE,
  };
  return {
    curve: byQuarter(values),
    ...{ nowSeconds, workSeconds, rules, state: stateOf(random) },
    latestEnd: nowSeconds + workSeconds + whole(random, -1, 8) * QUARTER + whole(random, 0, 899),
    waitingCost: random() < 0.5 ? 0 : random() * 40,
    reserveSeconds: random() < 0.6 ? 0 : whole(random, 1, 1200),
    pauseCost: random() < 0.5 ? 0 : random() * 20_000,
    ...(random() < 0.3 ? { bonus: Float64Array.from({ length: 5 }, (_, hour) => hour * 15 * random()) } : {}),
  };
}

describe("splitting a run", () => {
  it("costs the least of all plans on the grid in 300 random cases", () => {
    const random = randomFrom(16);
    const seen = { paused: 0, twice: 0, impossible: 0, resumed: 0, charged: 0 };
    for (let index = 0; index < 300 * SCALE; index++) {
      const request = randomCase(random);
      const plan = splitRun(request, QUARTER);
      const best = leastSplit(request);
      const parts = partsOf(request, plan.segments);
      const work = parts.reduce((sum, { start, end }) => sum + end - start, 0);
      expect(work).toBeCloseTo(request.workSeconds, 6);
      if (best === Infinity) {
        expect(plan).toMatchObject({ cost: Infinity, segments: [{ start: request.nowSeconds }] });
        seen.impossible += 1;
        continue;
      }
      expect(Math.abs(plan.cost - best)).toBeLessThan(1e-4 * (1 + Math.abs(best)));
      expect(Math.abs(costOf(request, parts) - best)).toBeLessThan(1e-4 * (1 + Math.abs(best)));
      expect(Math.abs(planCost(request, plan.segments) - best)).toBeLessThan(1e-4 * (1 + Math.abs(best)));
      expect(plan.segments.at(-1)?.end).toBeLessThanOrEqual(request.latestEnd);
      seen.paused += plan.segments.length > 1 ? 1 : 0;
      seen.twice += plan.segments.length > 2 ? 1 : 0;
      seen.resumed += request.state.is === "paused" ? 1 : 0;
      seen.charged += plan.segments.length > 1 && request.pauseCost > 0 && request.waitingCost > 0 ? 1 : 0;
    }
    // The cases do meet what they are there for.
    expect(seen.paused).toBeGreaterThan(40);
    expect(seen.twice).toBeGreaterThan(10);
    expect(seen.impossible).toBeGreaterThan(5);
    expect(seen.resumed).toBeGreaterThan(30);
    expect(seen.charged).toBeGreaterThan(3);
  });

  it("is over in time after its start, and costs the least of such plans, in 200 random cases", () => {
    const random = randomFrom(29);
    const seen = { paused: 0, later: 0, shorter: 0 };
    for (let index = 0; index < 200 * SCALE; index++) {
      const request: SplitRequest = { ...randomCase(random), state: { is: "waiting" } };
      const maxSpan = request.workSeconds + whole(random, 0, 6) * QUARTER;
      const plan = splitWithin(request, maxSpan);
      const best = leastSplit(request, maxSpan);
      if (best === Infinity) {
        expect(plan.cost).toBe(Infinity);
        continue;
      }
      expect(Math.abs(plan.cost - best)).toBeLessThan(1e-4 * (1 + Math.abs(best)));
      expect(spanOf(plan)).toBeLessThanOrEqual(maxSpan);
      if (plan.segments.length === 1) continue;
      seen.paused += 1;
      seen.later += (plan.segments[0]?.start ?? 0) > request.nowSeconds ? 1 : 0;
      seen.shorter += plan.cost > splitRun(request).cost + 1 ? 1 : 0;
    }
    expect(seen.paused).toBeGreaterThan(20);
    expect(seen.later).toBeGreaterThan(5);
    expect(seen.shorter).toBeGreaterThan(5);
  });

  const day = hourly(Array.from({ length: 72 }, (_, hour) => (hour % 24 < 6 ? 100 : 400)));
  const rules: PauseRules = { minRunSeconds: HOUR, maxPauses: 4, resumeSeconds: 600 };
  const asked: SplitRequest = {
    ...{ curve: day, nowSeconds: 0, workSeconds: 12 * HOUR, latestEnd: 48 * HOUR, reserveSeconds: 1500, rules },
    ...{ state: { is: "waiting" }, waitingCost: 0, pauseCost: 0 },
  };
  const hoursOf = (request: SplitRequest): number[][] =>
    splitRun(request).segments.map(({ start, end }) => [start / HOUR, end / HOUR]);

  it("runs in the green hours of two nights, and resumes before the second", () => {
    expect(hoursOf(asked)).toEqual([
      [0, 6],
      [24 - 1 / 6, 30],
    ]);
  });

  it("does not pause if the grid is flat, waiting costs more than it saves, or no pause is left", () => {
    expect(hoursOf({ ...asked, curve: hourly([300]) })).toEqual([[0, 12]]);
    expect(hoursOf({ ...asked, rules: { ...rules, maxPauses: 0 } })).toEqual([[0, 12]]);
    // Six hours save 300 g/kWh each, and the end is 18 hours later.
    const equal = (6 * 300 * HOUR - 400 * 600) / (18 * HOUR);
    expect(hoursOf({ ...asked, waitingCost: 1.01 * equal })).toEqual([[0, 12]]);
    expect(hoursOf({ ...asked, waitingCost: 0.99 * equal })).toHaveLength(2);
    expect(hoursOf({ ...asked, pauseCost: 6 * 300 * HOUR })).toEqual([[0, 12]]);
  });

  it("keeps the reserve before the deadline for runs that still resume", () => {
    expect(hoursOf({ ...asked, latestEnd: 30 * HOUR + 1500 })).toHaveLength(2);
    expect(hoursOf({ ...asked, latestEnd: 30 * HOUR + 1499 }).at(-1)?.[1]).toBeLessThan(30);
    const late = { ...asked, workSeconds: 6 * HOUR, latestEnd: 7 * HOUR, state: { is: "paused" } as const };
    expect(hoursOf(late)).toEqual([[0, 6 + 1 / 6]]);
  });

  it("begins later where a run that is over in time then emits less", () => {
    const nights = hourly(Array.from({ length: 72 }, (_, hour) => (hour % 24 < 6 ? 100 : hour < 24 ? 400 : 300)));
    const plan = splitWithin({ ...asked, curve: nights, latestEnd: 72 * HOUR }, 20 * HOUR);
    expect(plan.segments).toEqual([{ start: 24 * HOUR, end: 36 * HOUR }]);
    const longer = splitWithin({ ...asked, curve: nights, latestEnd: 72 * HOUR }, 30.5 * HOUR);
    expect(longer.segments).toEqual([
      { start: 0, end: 6 * HOUR },
      { start: 24 * HOUR - 600, end: 30 * HOUR },
    ]);
  });

  it("plans a long run in a week within its limit in bounded time", () => {
    const week = hourly(Array.from({ length: 400 }, (_, hour) => 100 + 90 * Math.sin(hour / 4)));
    const long = { ...asked, curve: week, workSeconds: 20 * HOUR, latestEnd: 168 * HOUR };
    const before = process.cpuUsage();
    const plan = splitWithin(long, 40 * HOUR);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
    expect(plan.segments.length).toBeGreaterThan(1);
    expect(spanOf(plan)).toBeLessThanOrEqual(40 * HOUR - asked.reserveSeconds);
  });

  it("goes on at once if nothing keeps the deadline", () => {
    expect(splitRun({ ...asked, latestEnd: 11 * HOUR })).toMatchObject({
      segments: [{ start: 0, end: 12 * HOUR }],
      cost: Number.POSITIVE_INFINITY,
    });
  });

  it("uses larger steps for long runs in long windows, so that a plan has a bounded number of cells", () => {
    const week = { ...asked, curve: hourly(Array.from({ length: 400 }, (_, hour) => 100 + (hour % 24))) };
    expect(stepOf(asked)).toBe(QUARTER);
    expect(stepOf({ ...week, workSeconds: 24 * HOUR, latestEnd: 168 * HOUR })).toBe(2 * QUARTER);
    const long = { ...week, workSeconds: 100 * HOUR, latestEnd: 300 * HOUR };
    expect(stepOf(long)).toBe(2 * HOUR);
    const work = partsOf(long, splitRun(long).segments).reduce((sum, { start, end }) => sum + end - start, 0);
    expect(work).toBe(100 * HOUR);
  });
});
