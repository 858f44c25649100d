import { describe, expect, it } from "vitest";
import { HourlyCurve } from "../../../src/model/places/intensity.ts";
import type { Candidate } from "../../../src/model/policy.ts";
import { breakpoints } from "../../../src/simulate/breakpoints.ts";
import type { Job, Task } from "../../../src/simulate/job.ts";
import { measurePolicy } from "../../../src/simulate/measure-policy.ts";
import { placeByGaia } from "../../../src/simulate/place-by-gaia.ts";
import { placePatientClairvoyant } from "../../../src/simulate/place-patient-clairvoyant.ts";
import { type Recorded, World } from "../../../src/simulate/world.ts";
import { labelSides } from "../../../src/cli/commands/simulate/label-sides.ts";
import { axisEnds, frontierChart, shownPolicies } from "../../../src/cli/commands/simulate/frontier-chart.ts";
import { candidate, HOUR, power, randomFrom } from "../placement/requests.ts";

const DAY = 24 * HOUR;
const NOTE = { source: "test", issuedAt: null, until: null };

const jobOf = (fields: Partial<Job>): Job => ({
  ...{ id: "job", arrival: 0, cpu: 2, memory: 4, durationSeconds: 3 * HOUR, deadline: 2 * DAY },
  ...{ maxLatencyMs: null, origin: "azure/a", dataResidency: [] },
  ...fields,
});

const taskOf = (job: Job, places: readonly Candidate[]): Task => ({
  job,
  allowed: places,
  atOrigin: places[0] ?? candidate("azure/a"),
});

const flatHours = (value: number): number[] => Array.from({ length: 100 }, () => value);

const worldOf = (series: Record<string, number[]>): World => {
  const zones = Object.entries(series).map(([zone, values]) => {
    return [zone, { start: 0, values: Float64Array.from(values), before: null }] as const;
  });
  const rest = { objective: { carbon: 1, price: 0, latency: 0 }, horizonSeconds: 7 * DAY, waitingCost: 0.1 };
  return new World({ series: new Map(zones), sites: new Map(), power, ...rest } satisfies Recorded);
};

describe("perfect knowledge with a cost of waiting", () => {
  it("is the least sum of grams and waiting over every minute and place, in 60 random cases", () => {
    const random = randomFrom(7);
    let waited = 0;
    for (let round = 0; round < 60; round++) {
      const hours = (): number[] => Array.from({ length: 60 }, () => 20 + Math.floor(random() * 300));
      const world = worldOf({ a: hours(), b: hours() });
      const arrival = Math.floor(random() * 600) * 60;
      const durationSeconds = (20 + Math.floor(random() * 300)) * 60;
      const job = jobOf({
        arrival,
        durationSeconds,
        deadline: arrival + durationSeconds + Math.floor(random() * 1200) * 60,
      });
      const places = [candidate("azure/a"), candidate("gcp/b", { vcpus: 4 })];
      const cost = 0.8 * random();
      const [placed] = placePatientClairvoyant(world, [taskOf(job, places)], cost);
      const now = Math.min(...places.map((place) => world.grams(job, place, arrival)));
      const total = (place: Candidate, start: number): number =>
        world.grams(job, place, start) + (cost * now * (start - arrival)) / DAY;
      let least = Number.POSITIVE_INFINITY;
      for (const place of places)
        for (let start = arrival; start <= job.deadline - durationSeconds; start += 60)
          least = Math.min(least, total(place, start));
      const { candidate: chosen = places[0], start = 0 } = placed ?? {};
      expect(total(chosen ?? candidate("azure/a"), start)).toBeCloseTo(least, 9);
      expect(breakpoints(job)).toContain(start);
      if (start > arrival) waited += 1;
    }
    expect(waited).toBeGreaterThan(15);
  });
});

describe("what waiting costs", () => {
  it("is a share a day of the best immediate start in any allowed place", () => {
    const world = worldOf({ a: flatHours(200), b: flatHours(50) });
    const places = [candidate("azure/a"), candidate("gcp/b")];
    const job = jobOf({ deadline: 4 * DAY });
    const [dirty, clean] = places.map((place) => world.grams(job, place, 0));
    const figures = (start: number) =>
      measurePolicy("", world, [taskOf(job, places)], [{ candidate: candidate("azure/a"), start }]);
    expect(figures(0).kgWithWaiting).toBe(figures(0).kgCO2);
    const waited = 1000 * (figures(1.5 * DAY).kgWithWaiting - figures(1.5 * DAY).kgCO2);
    expect(clean).toBeLessThan(dirty ?? 0);
    expect(waited).toBeCloseTo(1.5 * 0.1 * (clean ?? 0), 9);
  });
});

describe("the policies of GAIA", () => {
  /** A world whose forecast is these hours. */
  const forecasting = (values: number[]): World => {
    const curve = new HourlyCurve(0, Float64Array.from(values), NOTE);
    return { forecast: () => ({ curve }) } as unknown as World;
  };
  const startsOf = (values: number[], rule: Parameters<typeof placeByGaia>[2], jobs: readonly Job[]): number[] =>
    placeByGaia(
      forecasting(values),
      jobs.map((job) => taskOf(job, [candidate("azure/a")])),
      rule,
    ).map(({ start }) => start / HOUR);
  const flat = (changes: Record<number, number>): number[] =>
    Array.from({ length: 80 }, (_, hour) => changes[hour] ?? 100);

  it("look a day ahead for jobs of more than two hours, and six hours for others", () => {
    const values = flat({ 5: 90, 20: 50, 30: 1 });
    expect(startsOf(values, "lowest-slot", [jobOf({ deadline: 4 * DAY })])).toEqual([20]);
    expect(startsOf(values, "lowest-slot", [jobOf({ durationSeconds: HOUR, deadline: 4 * DAY })])).toEqual([5]);
    expect(startsOf(values, "lowest-slot", [jobOf({ deadline: 13 * HOUR })])).toEqual([5]);
  });

  it("choose the best hour, or the best window of the queue's average length", () => {
    const values = flat({ 4: 50, 10: 60, 11: 60, 12: 60 });
    const jobs = [jobOf({ durationSeconds: 3 * HOUR }), jobOf({ durationSeconds: 5 * HOUR })];
    expect(startsOf(values, "lowest-slot", jobs)).toEqual([4, 4]);
    // Both have the average length of four hours: 100 + 3 × 60, or 3 × 60 + 100.
    expect(startsOf(values, "lowest-window", jobs)).toEqual([9, 9]);
  });

  it("prefer an early saving to a later one that is slightly larger", () => {
    const values = flat({ 2: 60, 3: 60, 4: 60, 20: 55, 21: 55, 22: 55 });
    expect(startsOf(values, "lowest-window", [jobOf({})])).toEqual([20]);
    expect(startsOf(values, "carbon-time", [jobOf({})])).toEqual([2]);
    expect(startsOf(flat({}), "carbon-time", [jobOf({})])).toEqual([0]);
  });
});

describe("the picture of the frontier", () => {
  const figures = (kgCO2: number, meanDelayHours: number) => ({ kgCO2, kgWithWaiting: kgCO2, meanDelayHours });
  const plot = {
    policies: [
      { name: "run-now-at-origin", ...figures(100, 0) },
      { name: "near", ...figures(30, 5) },
      { name: "far", ...figures(95, 9) },
      { name: "ours", ...figures(25, 8) },
    ],
    upperBound: { kgCO2: 20 },
    waitingCostPercent: 10,
    frontier: [
      { waitingCostPercent: 0, ours: figures(24, 30), clairvoyant: figures(20, 30) },
      { waitingCostPercent: 10, ours: figures(28, 8), clairvoyant: figures(22, 9) },
    ],
  };

  it("has the shares of the greatest saving against the mean delay", () => {
    const { series } = frontierChart(plot);
    expect(series).toMatchObject([
      { data: [{ value: [30, 95, "0 %"] }, { value: [8, 90, "10 %, in force"], symbolSize: 13 }] },
      { data: [{ value: [30, 100, "0 %"] }, { value: [9, 97.5, "10 %, in force"], symbolSize: 13 }] },
      { data: [{ value: [5, 87.5, "near"], label: { position: "right" } }] },
    ]);
  });

  it("writes names where they meet no other name and no other point", () => {
    const near = [
      { x: 200, y: 60, name: "one" },
      { x: 220, y: 64, name: "two" },
      { x: 230, y: 50, name: "three" },
    ];
    expect(labelSides(near)).toEqual(["left", "top", "right"]);
    const alone = { x: 105, y: 60, name: "alone" };
    expect(labelSides([alone])).toEqual(["right"]);
    const crossing = [
      { x: 110, y: 20 },
      { x: 140, y: 100 },
    ];
    expect(labelSides([alone], [crossing])).toEqual(["left"]);
    expect(labelSides([{ ...alone, first: "top" }])).toEqual(["top"]);
    expect(labelSides([alone], [], 140)).toEqual(["left"]);
  });

  it("keeps the names of the lines away from the lines, from each other and from the axis", () => {
    // Costs of 0, 2, 6, 10 and 20 % of 500 jobs: the names of the last two of both lines stood on each other and on a line.
    const point = (waitingCostPercent: number, ours: [number, number], clairvoyant: [number, number]) => ({
      ...{ waitingCostPercent, ours: figures(...ours), clairvoyant: figures(...clairvoyant) },
    });
    const dense = {
      policies: [
        { name: "run-now-at-origin", ...figures(49.63, 0) },
        { name: "greedy-region-only", ...figures(6.91, 0) },
      ],
      ...{ upperBound: { kgCO2: 5.37 }, waitingCostPercent: 10 },
      frontier: [
        point(0, [5.97, 46.7], [5.37, 42.6]),
        point(10, [6.15, 4.5], [5.76, 7.9]),
        point(20, [6.29, 1.9], [6.0, 3.7]),
      ],
    };
    expect(frontierChart(dense)).toMatchObject({
      yAxis: { min: 96, max: 100 },
      series: [
        { data: ["bottom", "top", "bottom"].map((position) => ({ label: { position } })) },
        { data: ["top", "top", "top"].map((position) => ({ label: { position } })) },
        { data: [{ label: { position: "right" } }] },
      ],
    });
  });

  it.each([
    [0, 43.5, [0, 50]],
    [0, 39.5, [0, 40]],
    [10.4, 100, [0, 100]],
    [96.8, 100, [96.5, 100]],
    [1, 1, [0, 2]],
  ])("places names on axes that end at round figures: %d to %d", (low, high, ends) => {
    expect(axisEnds(low, high)).toEqual(ends);
  });

  it("names the policies that are far below it", () => {
    expect(shownPolicies(plot).omitted).toEqual(["far (6 %)"]);
  });
});
