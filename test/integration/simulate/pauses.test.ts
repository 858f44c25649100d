import { describe, expect, it } from "vitest";
import { pauseClairvoyant } from "../../../src/simulate/pauses/pause-clairvoyant.ts";
import { gramsOf } from "../../../src/simulate/pauses/measure-pauses.ts";
import { pauseOurs } from "../../../src/simulate/pauses/pause-ours.ts";
import { simulatePauses } from "../../../src/simulate/pauses/simulate-pauses.ts";
import { World } from "../../../src/simulate/world.ts";
import { HOUR, madeTasks, recorded } from "./world.ts";

const rules = { minRunSeconds: HOUR, maxPauses: 2, resumeSeconds: 600 };
const options = { rules, waitingCost: 0, pauseGain: 0.01 };
const tasks = madeTasks(60, 5).map((task) => ({ ...task, allowed: [task.atOrigin] }));

describe("a simulation of runs that pause", () => {
  const results = simulatePauses(new World(recorded), tasks, rules);
  const named = (name: string) => {
    const found = results.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no policy ${name}`);
    return found;
  };

  it("misses no deadline under any policy", () => {
    expect(results.map(({ name, deadlineMisses }) => [name, deadlineMisses])).toEqual(
      ["run-now-at-origin", "ours", "carbonscaler-suspend-resume", "lets-wait-awhile-interrupting", "ours-pausing"]
        .concat(["clairvoyant", "clairvoyant-pausing"])
        .map((name) => [name, 0]),
    );
  });

  it("saves more with pauses than with one run, and most with perfect knowledge, within the allowed pauses", () => {
    expect(named("ours-pausing").kgCO2).toBeLessThan(named("ours").kgCO2);
    expect(named("clairvoyant-pausing").kgCO2).toBeLessThan(named("clairvoyant").kgCO2);
    for (const { kgCO2 } of results) expect(kgCO2).toBeGreaterThanOrEqual(named("clairvoyant-pausing").kgCO2);
    expect(named("ours-pausing").meanPauses).toBeGreaterThan(0.1);
    expect(named("ours-pausing").mostPauses).toBeLessThanOrEqual(2);
    const { savedOverOneRun, shareOfClairvoyant } = named("ours-pausing");
    expect(savedOverOneRun).toBeCloseTo(1 - named("ours-pausing").kgCO2 / named("ours").kgCO2, 9);
    const possible = named("clairvoyant").kgCO2 - named("clairvoyant-pausing").kgCO2;
    expect(shareOfClairvoyant).toBeCloseTo((named("ours").kgCO2 - named("ours-pausing").kgCO2) / possible, 9);
  });

  it.each([
    ["ours", pauseOurs],
    ["with perfect knowledge", pauseClairvoyant],
  ])("works exactly the duration, each part for the least time, from arrival to deadline: %s", (_, policy) => {
    for (const [index, { segments }] of policy(new World(recorded), tasks, options).entries()) {
      const { arrival = 0, durationSeconds = 0, deadline = 0 } = tasks[index]?.job ?? {};
      const worked = segments.map(({ start, end }, at) => end - start - (at === 0 ? 0 : rules.resumeSeconds));
      const times = [arrival, ...segments.flatMap(({ start, end }) => [start, end]), deadline];
      expect(worked.reduce((sum, one) => sum + one, 0)).toBeCloseTo(durationSeconds, 6);
      expect(Math.min(...worked)).toBeGreaterThanOrEqual(Math.min(HOUR, durationSeconds) - 1e-6);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
  });

  it("does not pause on flat grids, so that pauses save nothing", () => {
    const series = new Map(
      [...recorded.series].map(([zone, one]) => [zone, { ...one, values: one.values.map(() => 300) }]),
    );
    const flat = simulatePauses(new World({ ...recorded, series }), tasks.slice(0, 20), rules);
    for (const name of ["ours-pausing", "clairvoyant-pausing"]) {
      const one = flat.find((result) => result.name === name);
      expect(one).toMatchObject({ mostPauses: 0, shareOfClairvoyant: null });
      expect(one?.savedOverOneRun).toBeCloseTo(0, 9);
    }
  });

  it("does not use future hours: another future changes nothing before it", () => {
    const cut = 30 * 24;
    const series = new Map(
      [...recorded.series].map(([zone, one]) => [
        zone,
        { ...one, values: one.values.map((value, hour) => (hour < cut ? value : 900 - value)) },
      ]),
    );
    const [one, two] = [recorded, { ...recorded, series }].map((known) => pauseOurs(new World(known), tasks, options));
    const before = (splits: typeof one): number[][] =>
      (splits ?? []).map(({ segments }) =>
        segments.filter(({ start }) => start < cut * HOUR).map(({ start, end }) => start + Math.min(end, cut * HOUR)),
      );
    expect(before(two)).toEqual(before(one));
    expect(two).not.toEqual(one);
  });

  it("gains from measured hours in the forecast", () => {
    const [own, known] = [0, 168].map((knownHours) => {
      const world = new World({ ...recorded, knownHours });
      return pauseOurs(world, tasks, options).reduce((sum, split) => sum + gramsOf(world, split), 0);
    });
    expect(known).toBeLessThan(0.99 * (own ?? 0));
  });
});
