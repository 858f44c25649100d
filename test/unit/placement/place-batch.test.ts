import { describe, expect, it } from "vitest";
import type { IntensityCurve } from "../../../src/model/places/intensity.ts";
import type { BudgetSettings, LoadTable } from "../../../src/model/places/load.ts";
import type { Candidate } from "../../../src/model/policy.ts";
import { choosePlacement, type ScoredPlace } from "../../../src/placement/choose-placement.ts";
import { powerKw } from "../../../src/placement/energy.ts";
import { loadTable } from "../../../src/placement/load-table.ts";
import type { BatchItem } from "../../../src/placement/placement-request.ts";
import { placeBatch } from "../../../src/placement/place-batch.ts";
import { platformBudgets } from "../../../src/placement/headroom.ts";
import { type ExactJob, leastCost } from "./exact.ts";
import { candidate, flat, HOUR, NOW, power, request, randomFrom, weekly } from "./requests.ts";
import { SCALE } from "../../support/scale.ts";

type Random = () => number;
const whole = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from + 1));

/** The bundle's own settings but for the limit. */
const settingsOf = (vcpus: number | null): BudgetSettings => ({
  ...{ vcpus, places: {}, maxRegionShare: null, shareFloorVcpus: 64 },
  nearFull: { from: 0.8, surcharge: 0.1 },
});

interface Job {
  candidates: Candidate[];
  hours: number;
  slackHours: number;
  vcpus: number;
}

interface Batch {
  jobs: Job[];
  curves: Map<string, IntensityCurve>;
  limit: number;
}

/** Two to four regions with days of their own, a budget for every hour, four to seven jobs that do not all fit where they would best. */
function randomBatch(random: Random): Batch {
  const regions = Array.from({ length: whole(random, 2, 4) }, (_, index) => `r${String(index)}`);
  const curves = new Map(
    regions.map((region) => {
      const [base, swing, phase] = [whole(random, 30, 500), random() * 0.5, whole(random, 0, 23)];
      const day = (hour: number): number => 1 + swing * Math.sin(((hour + phase) / 24) * 2 * Math.PI);
      return [region, weekly(Array.from({ length: 168 }, (_, hour) => base * day(hour) * (0.9 + 0.2 * random())))];
    }),
  );
  const jobs = Array.from({ length: whole(random, 4, 7) }, (): Job => {
    const vcpus = 2 * whole(random, 1, 2);
    const some = regions.filter(() => random() < 0.7);
    const candidates = (some.length === 0 ? regions : some).map((region) =>
      candidate(`azure/${region}`, { vcpus, memoryGiB: vcpus * 2 }),
    );
    return { candidates, hours: whole(random, 1, 6), slackHours: whole(random, 0, 12), vcpus };
  });
  return { jobs, curves, limit: whole(random, 4, 8) };
}

function exact({ jobs, curves, limit }: Batch): number {
  const exactJobs = jobs.map(({ candidates, hours, slackHours, vcpus }): ExactJob => {
    const options = candidates.flatMap((machine) =>
      Array.from({ length: slackHours + 1 }, (_, start) => {
        const mean = curves.get(machine.region)?.meanOver(NOW + start * HOUR, hours * HOUR) ?? Number.NaN;
        return { place: machine.place, start, cost: powerKw(power, machine) * mean * hours };
      }),
    );
    return { hours, vcpus, options };
  });
  return leastCost(exactJobs, limit);
}

function itemsOf({ jobs, curves, limit }: Batch): BatchItem[] {
  const load = loadTable([]);
  return jobs.map(({ candidates, hours, slackHours }, index) => ({
    settings: settingsOf(limit),
    request: request({
      ...{ candidates, curves, load, seed: `demo/${String(index)}`, tolerance: 0.01 },
      window: {
        ...{ nowSeconds: NOW, durationSeconds: hours * HOUR, deadline: NOW + (hours + slackHours) * HOUR },
        ...{ pinnedStart: null, horizonSeconds: 168 * HOUR },
      },
    }),
  }));
}

/** Grams of all, null where one has no place. */
function gramsOf(plans: readonly (ScoredPlace | null)[]): number | null {
  let sum = 0;
  for (const plan of plans) {
    if (plan?.gramsCO2 == null) return null;
    sum += plan.gramsCO2;
  }
  return sum;
}

function expectKept(batch: Batch, plans: readonly (ScoredPlace | null)[]): void {
  const load = loadTable(
    plans.flatMap((plan, index) => {
      const job = batch.jobs[index];
      if (plan === null || job === undefined) return [];
      const end = plan.start + job.hours * HOUR;
      expect(plan.start).toBeGreaterThanOrEqual(NOW);
      expect(end).toBeLessThanOrEqual(NOW + (job.hours + job.slackHours) * HOUR);
      return [{ place: plan.candidate.place, start: plan.start, end, vcpus: plan.candidate.vcpus }];
    }),
  );
  for (const region of batch.curves.keys())
    for (let hour = 0; hour < 19; hour++)
      expect(load.at(`azure/${region}`, NOW / HOUR + hour)).toBeLessThanOrEqual(batch.limit);
}

/** What one after the other comes to. */
function singly(items: readonly BatchItem[]): (ScoredPlace | null)[] {
  const placed: { place: string; start: number; end: number; vcpus: number }[] = [];
  return items.map(({ request: asked, settings }) => {
    const load = loadTable(placed);
    const budgets = platformBudgets(settings, load);
    const [first] = choosePlacement({ ...asked, load, ...(budgets === null ? {} : { budgets }) }).ranked;
    if (first === undefined) return null;
    const end = first.start + (asked.window.durationSeconds ?? 0);
    placed.push({ place: first.candidate.place, start: first.start, end, vcpus: first.candidate.vcpus });
    return first;
  });
}

describe("a batch against an exact search over every combination", () => {
  it("emits at most 3 % more over random batches under budgets, and places all objects if possible, except for 1 in 200", () => {
    const random = randomFrom(2026);
    const sums = { batch: 0, exact: 0, within: 0, solved: 0, unplaced: 0, singlyDenied: 0 };
    for (let round = 0; round < 150 * SCALE; round++) {
      const batch = randomBatch(random);
      const least = exact(batch);
      if (!Number.isFinite(least)) continue;
      const items = itemsOf(batch);
      const plans = placeBatch(items);
      expectKept(batch, plans);
      const grams = gramsOf(plans);
      sums.solved += 1;
      if (grams === null) {
        sums.unplaced += 1;
        continue;
      }
      sums.batch += grams;
      sums.exact += least;
      if (grams <= least * 1.03) sums.within += 1;
      if (gramsOf(singly(items)) === null) sums.singlyDenied += 1;
    }
    expect(sums.solved).toBeGreaterThan(130 * SCALE);
    expect(sums.unplaced).toBeLessThanOrEqual(Math.floor(sums.solved / 200));
    expect(sums.batch / sums.exact).toBeLessThanOrEqual(1.03);
    expect(sums.within / sums.solved).toBeGreaterThanOrEqual(0.93);
    // The cases are not easy: one after the other, some objects find no room at all.
    expect(sums.singlyDenied).toBeGreaterThan(10);
  });
});

describe("a batch", () => {
  const green = (hours: number, machines: Candidate[], slackHours = 0): Batch["jobs"][number] => ({
    ...{ candidates: machines, hours, slackHours, vcpus: 2 },
  });
  const curves = new Map<string, IntensityCurve>([
    ["hydro", flat(20)],
    ["gas", flat(400)],
    ["coal", flat(900)],
  ]);
  const [hydro, gas, coal] = ["hydro", "gas", "coal"].map((region) => candidate(`azure/${region}`));
  if (hydro === undefined || gas === undefined || coal === undefined) throw new RangeError("three places");

  it("gives headroom to the object that needs it more, regardless of the order", () => {
    // Both want the one place by the water. Elsewhere the first one has gas, the second one only coal.
    const batch = { jobs: [green(1, [hydro, gas]), green(1, [hydro, coal])], curves, limit: 2 };
    expect(singly(itemsOf(batch)).map((plan) => plan?.candidate.region)).toEqual(["hydro", "coal"]);
    expect(placeBatch(itemsOf(batch)).map((plan) => plan?.candidate.region)).toEqual(["gas", "hydro"]);
  });

  it("delays the objects that can wait", () => {
    const batch = { jobs: [green(1, [hydro], 6), green(1, [hydro])], curves, limit: 2 };
    const [first, second] = placeBatch(itemsOf(batch));
    expect(second?.start).toBe(NOW);
    expect(first?.start).toBe(NOW + HOUR);
  });

  it("is placed sequentially without competition, with tie-breaking", () => {
    const near = ["a", "b", "c", "d"].map((region) => candidate(`azure/${region}`));
    const equal = new Map<string, IntensityCurve>(near.map(({ region }) => [region, flat(100)]));
    const batch = { jobs: Array.from({ length: 8 }, () => green(1, near)), curves: equal, limit: 100 };
    expect(placeBatch(itemsOf(batch))).toEqual(singly(itemsOf(batch)));
    expect(new Set(placeBatch(itemsOf(batch)).map((plan) => plan?.candidate.place)).size).toBeGreaterThan(1);
  });

  it("has no plan for an object that fits nowhere, and places the others", () => {
    const batch = { jobs: [green(1, [hydro]), green(1, [hydro]), green(1, [gas])], curves, limit: 2 };
    const plans = placeBatch(itemsOf(batch));
    expect(plans.filter((plan) => plan === null)).toHaveLength(1);
    expect(plans[2]?.candidate.region).toBe("gas");
  });

  it("limits its work, regardless of how full the places are", () => {
    const places = Array.from({ length: 140 }, (_, index) => candidate(`azure/r${String(index)}`));
    const world = new Map<string, IntensityCurve>(places.map(({ region }, index) => [region, flat(20 + index)]));
    const placed = places.slice(0, 120).map(({ place }) => ({ place, start: null, end: null, vcpus: 2 }));
    const table = loadTable(placed);
    let reads = 0;
    const load: LoadTable = {
      totalAt: (hour) => table.totalAt(hour),
      at(place, hour) {
        reads += 1;
        return table.at(place, hour);
      },
    };
    const window = {
      nowSeconds: NOW,
      durationSeconds: null,
      deadline: null,
      pinnedStart: null,
      horizonSeconds: 168 * HOUR,
    };
    const asked = request({ candidates: places, curves: world, load, window });
    const items = Array.from({ length: 16 }, (): BatchItem => ({ request: asked, settings: settingsOf(2) }));
    const plans = placeBatch(items);
    // 1.2 million; without the limit it would be 13 million.
    expect(reads).toBeLessThan(2_500_000);
    const regions = plans.map((plan) => Number(plan?.candidate.region.slice(1))).sort((a, b) => a - b);
    expect(regions).toEqual(Array.from({ length: 16 }, (_, index) => 120 + index));
  });

  it("is deterministic", () => {
    const batch = randomBatch(randomFrom(5));
    expect(placeBatch(itemsOf(batch))).toEqual(placeBatch(itemsOf(batch)));
  });
});
