import { describe, expect, it } from "vitest";
import { placeClairvoyant } from "../../../src/simulate/place-clairvoyant.ts";
import { placeOurs } from "../../../src/simulate/place-ours.ts";
import { type Shift, SHIFTS } from "../../../src/simulate/job.ts";
import { shareOfBound, simulate } from "../../../src/simulate/simulate.ts";
import { World } from "../../../src/simulate/world.ts";
import { candidate, HOUR, job, madeTasks, recorded } from "./world.ts";

const run = (shift: Shift, maxRegionShare: number | null = null) =>
  simulate(recorded, madeTasks(150, 5), { shift, maxRegionShare, seed: 1 });

const figuresOf = (simulation: ReturnType<typeof run>, name: string) => {
  const found = simulation.policies.find(({ figures }) => figures.name === name);
  if (found === undefined) throw new Error(`no policy ${name}`);
  return found.figures;
};

describe("a simulation", () => {
  it.each(SHIFTS)("misses no deadline, violates nothing and stays above the bound: --shift %s", (shift) => {
    const simulation = run(shift);
    for (const { figures } of simulation.policies) {
      expect(figures).toMatchObject({ deadlineMisses: 0, violations: 0 });
      expect(figures.kgCO2).toBeGreaterThanOrEqual(simulation.upperBound.kgCO2 - 1e-9);
    }
    const ours = figuresOf(simulation, "ours");
    expect(ours.kgCO2).toBeLessThan(figuresOf(simulation, "run-now-at-origin").kgCO2);
    expect(shareOfBound(simulation, figuresOf(simulation, "clairvoyant").kgCO2)).toBeCloseTo(1, 9);
  });

  it("shifts only what it may", () => {
    expect(figuresOf(run("place"), "ours").meanDelayHours).toBe(0);
    const base = figuresOf(run("time"), "run-now-at-origin");
    expect(figuresOf(run("time"), "ours").busiestRegionShare).toBe(base.busiestRegionShare);
  });

  it("gives the same figures for the same seed", () => {
    expect(run("both").policies.map(({ figures }) => figures)).toEqual(
      run("both").policies.map(({ figures }) => figures),
    );
  });

  it("keeps every region under its share, also with perfect knowledge", () => {
    const simulation = run("both", 0.3);
    expect(figuresOf(simulation, "ours").busiestRegionShare).toBeLessThanOrEqual(0.3);
    expect(figuresOf(simulation, "clairvoyant").busiestRegionShare).toBeLessThanOrEqual(0.3);
    expect(figuresOf(simulation, "lowest-average-region").busiestRegionShare).toBeGreaterThan(0.9);
    expect(simulation.upperBound.kgCO2).toBeGreaterThan(run("both").upperBound.kgCO2);
  });
});

describe("the parts of the saving that ours does not reach", () => {
  const parts = (shift: Shift, more: object = {}) => {
    const simulation = simulate({ ...recorded, waitingCost: 0.1, ...more }, madeTasks(150, 5), {
      ...{ shift, maxRegionShare: null, seed: 1 },
    });
    const { lost } = simulation;
    if (lost === null) throw new Error("no parts");
    const ours = figuresOf(simulation, "ours").kgCO2;
    expect(lost.place + lost.hour + lost.waitingCost).toBeCloseTo(ours - simulation.upperBound.kgCO2, 9);
    expect(lost.place).toBeGreaterThanOrEqual(-1e-9);
    return { lost, simulation };
  };

  it("add up, and the cost of waiting is that of perfect knowledge", () => {
    const { lost, simulation } = parts("both");
    const patient = figuresOf(simulation, "clairvoyant-same-cost").kgCO2 - simulation.upperBound.kgCO2;
    expect(lost.waitingCost).toBeCloseTo(patient, 9);
    expect(lost.waitingCost).toBeGreaterThan(0);
    expect(lost.hour).toBeGreaterThan(0);
  });

  it("have none by what may not be shifted", () => {
    expect(parts("time").lost.place).toBeCloseTo(0, 9);
    expect(parts("place").lost).toMatchObject({
      hour: expect.closeTo(0, 9) as number,
      waitingCost: expect.closeTo(0, 9) as number,
    });
  });

  it("become small where the measured hours are known, and free waiting costs nothing", () => {
    const knowing = parts("both", { waitingCost: 0, knownHours: 168 }).lost;
    expect(knowing.waitingCost).toBeCloseTo(0, 9);
    const learned = parts("both").lost;
    expect(knowing.place + knowing.hour).toBeLessThan((learned.place + learned.hour) / 2);
  });

  it("are none with a budget", () => {
    expect(run("both", 0.3).lost).toBeNull();
  });
});

describe("the cost of waiting, counted", () => {
  const of = (shift: Shift) => {
    const options = { shift, maxRegionShare: null, seed: 1, frontier: [0, 10] };
    return simulate({ ...recorded, waitingCost: 0.1 }, madeTasks(150, 5), options);
  };

  it.each(SHIFTS)("is what perfect knowledge at this cost has least of: --shift %s", (shift) => {
    const simulation = of(shift);
    const least =
      shift === "place" ? simulation.bestNow.kgCO2 : figuresOf(simulation, "clairvoyant-same-cost").kgWithWaiting;
    for (const { figures } of simulation.policies.filter(({ figures: { violations } }) => violations === 0)) {
      expect(figures.kgWithWaiting).toBeGreaterThanOrEqual(figures.kgCO2);
      expect(figures.kgWithWaiting).toBeGreaterThanOrEqual(least - 1e-9);
    }
    expect(least).toBeLessThanOrEqual(simulation.bestNow.kgCO2 + 1e-9);
  });

  it("is in the frontier, also if the options do not name it", () => {
    const options = { shift: "place", maxRegionShare: null, seed: 1, frontier: [20, 0] } as const;
    const { frontier, waitingCostPercent } = simulate({ ...recorded, waitingCost: 0.07 }, madeTasks(20, 5), options);
    expect([frontier.map((point) => point.waitingCostPercent), waitingCostPercent]).toEqual([[0, 7, 20], 7]);
  });

  it("has one price for all points of the frontier", () => {
    const simulation = of("both");
    const [free, priced] = simulation.frontier;
    expect(priced?.ours.kgWithWaiting).toBe(figuresOf(simulation, "ours").kgWithWaiting);
    expect(free?.clairvoyant.kgCO2).toBeLessThan(priced?.clairvoyant.kgCO2 ?? 0);
    expect(free?.clairvoyant.kgWithWaiting).toBeGreaterThan(priced?.clairvoyant.kgWithWaiting ?? Infinity);
  });
});

describe("our decisions", () => {
  it("do not use future hours: another future changes no earlier start", () => {
    const tasks = madeTasks(150, 5);
    const cut = 30 * 24;
    const series = new Map(
      [...recorded.series].map(([zone, one]) => [
        zone,
        { ...one, values: one.values.map((value, hour) => (hour < cut ? value : 900 - value)) },
      ]),
    );
    const [one, two] = [recorded, { ...recorded, series }].map((world) =>
      placeOurs(new World(world), tasks, { budget: null, waitingCost: 0.1 }),
    );
    const before = one?.flatMap(({ start }, index) => (start < cut * HOUR ? [index] : [])) ?? [];
    expect(before.length).toBeGreaterThan(50);
    for (const index of before) expect(two?.[index]).toEqual(one?.[index]);
    expect(two).not.toEqual(one);
  });
});

describe("the clairvoyant bound", () => {
  it("equals the minimum of an exhaustive search", () => {
    const world = new World(recorded);
    const tasks = madeTasks(40, 9);
    let least = 0;
    for (const { job: one, allowed } of tasks) {
      let best = Number.POSITIVE_INFINITY;
      for (const place of allowed) {
        for (let start = one.arrival; start <= one.deadline - one.durationSeconds; start += 600) {
          best = Math.min(best, world.grams(one, place, start));
        }
      }
      least += best;
    }
    expect(placeClairvoyant(world, tasks, null).bound).toBeCloseTo(least, 6);
  });

  it("is at most the cost of the best assignment under a limit", () => {
    const world = new World(recorded);
    const places = [candidate("azure/dirty", "DIRTY"), candidate("azure/clean", "CLEAN")];
    const tasks = Array.from({ length: 8 }, (_, index) => {
      const one = job({ arrival: index * 30 * HOUR, deadline: index * 30 * HOUR + 6 * HOUR, cpu: 2 });
      return { job: one, allowed: places, atOrigin: candidate("azure/dirty", "DIRTY") };
    });
    const costs = tasks.map((task) =>
      places.map((place) => placeClairvoyant(world, [{ ...task, allowed: [place] }], null).bound),
    );
    let least = Number.POSITIVE_INFINITY;
    for (let choice = 0; choice < 256; choice++) {
      const clean = costs.filter((_, index) => (choice >> index) & 1).length;
      if (clean !== 4) continue;
      least = Math.min(
        least,
        costs.reduce((sum, pair, index) => sum + (pair[(choice >> index) & 1] ?? 0), 0),
      );
    }
    const { bound } = placeClairvoyant(world, tasks, 0.5);
    expect(bound).toBeLessThanOrEqual(least + 1e-9);
    expect(bound).toBeGreaterThan(0.97 * least);
  });
});
