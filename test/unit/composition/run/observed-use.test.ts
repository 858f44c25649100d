// What really happens to a machine is not always what was planned: it is away for longer, cannot be stopped, or is another one. Its account
// counts the hours in which it was on, and a run whose work was not done fails.
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/composition/types.ts";
import { conditionsOf } from "../../../../src/model/kubernetes.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { type Life, RunWorld } from "../../../support/composition/run-world.ts";

const START = 1_800_000_000;
const HOUR = 3600;
type Spec = Record<string, unknown>;
type Figures = { pricePerHour?: number; gramsCO2?: number };

const segmentsOf = (parts: [number, number][]) =>
  parts.map(([from, to]) => ({ start: formatTime(START + from * HOUR), end: formatTime(START + to * HOUR) }));

/** The decision for a run that is on in these hours after its start. */
function decisionOf(parts: [number, number][], figures: Figures = {}): Record<string, string> {
  const segments = segmentsOf(parts);
  const [start, end] = [segments[0]?.start, segments.at(-1)?.end];
  const placement = { start, end, ...(parts.length > 1 ? { segments } : {}), pricePerHour: 1, gramsCO2: 5, ...figures };
  return { [ANNOTATION.decision]: JSON.stringify({ placement }) };
}

/** A run that is to be deleted after its end, and what happened to it. */
function begin(spec: Spec, parts: [number, number][], figures?: Figures): { world: RunWorld; life: Life } {
  const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 900 });
  const object: Resource = {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec: { whenDone: "delete", ...spec } },
    metadata: { annotations: decisionOf(parts, figures) },
  };
  return { world, life: world.add(object) };
}

const PAUSING = { duration: "6h", interruptible: { minRun: "1h", resumeCost: "10m" } };
const by = (hours: number) => ({ ...PAUSING, deadline: formatTime(START + hours * HOUR) });
const ONCE: [number, number][] = [
  [0, 1],
  [3, 8 + 1 / 6],
];
const TWICE: [number, number][] = [
  [0, 1],
  [3, 5],
  [8, 11 + 1 / 3],
];

/** The provider stops or starts the machine. */
function turn(world: RunWorld, life: Life, state: string): void {
  const [machine] = life.machines;
  if (machine) machine.state = state;
  world.touch(life);
}

function hold(world: RunWorld, life: Life, isHeld: boolean): void {
  const { [ANNOTATION.paused]: _paused, ...others } = life.object.metadata.annotations ?? {};
  const annotations = isHeld ? { ...others, [ANNOTATION.paused]: "true" } : others;
  life.object = { ...life.object, metadata: { ...life.object.metadata, annotations } };
  world.touch(life);
}

/** Hours in which the machine was told to be on, until then. */
function hoursOn({ machines, power }: Life, until: number): number {
  const turns = [{ at: machines[0]?.installedAt ?? until, on: true }, ...power];
  const spans = turns.map(({ at, on }, index) => (on ? Math.min(turns[index + 1]?.at ?? until, until) - at : 0));
  return spans.reduce((sum, span) => sum + Math.max(0, span), 0) / HOUR;
}

const runOf = ({ object }: Life): Spec => object.status?.["run"] as Spec;
const endOf = (life: Life): number => Date.parse(String(runOf(life)["ended"])) / 1000;
const hoursOf = (life: Life): number => Number(runOf(life)["hours"]);
const failedOf = ({ object }: Life) => conditionsOf(object).find(({ type }) => type === "Failed");

describe("a run whose user holds it over two planned pauses", () => {
  it.each<[string, (world: RunWorld, life: Life) => Promise<void>]>([
    [
      "until within the second",
      async (world, life) => {
        hold(world, life, true);
        await world.run(4 * HOUR);
        hold(world, life, false);
      },
    ],
    [
      "while no controller is there",
      (world) => {
        world.kill();
        world.now += 4 * HOUR;
        return Promise.resolve();
      },
    ],
  ])("does all of its work: %s", async (_what, between) => {
    const { world, life } = begin(by(60), TWICE);
    await world.run(2 * HOUR);
    await between(world, life);
    await world.run(14 * HOUR);
    expect(failedOf(life)).toMatchObject({ status: "False" });
    // Six hours of work and one resume: the machine was off from the first pause to the end of the second.
    expect(hoursOf(life)).toBeGreaterThan(6);
    expect(hoursOf(life)).toBeLessThan(6.4);
    expect(hoursOf(life)).toBeCloseTo(hoursOn(life, endOf(life)), 1);
  });

  it("is paused in the second one, if that is when it is resumed and its machine worked meanwhile", async () => {
    const { world, life } = begin(by(60), TWICE);
    await world.run(HOUR / 2);
    hold(world, life, true);
    await world.run(5 * HOUR);
    expect(life.power).toEqual([]);
    hold(world, life, false);
    await world.run(HOUR);
    expect(life.power.at(-1)).toMatchObject({ on: false });
    await world.run(9 * HOUR);
    expect(hoursOf(life)).toBeCloseTo(hoursOn(life, endOf(life)), 1);
  });
});

describe("a run whose machine does not come back after a pause", () => {
  it.each([
    ["never", 100],
    ["two hours before its deadline", 10],
  ])("fails with the hours that it worked: %s", async (_what, until) => {
    const { world, life } = begin(by(12), ONCE);
    await world.run(2.9 * HOUR);
    life.notReady = { until: START + until * HOUR, reason: "ProviderCapacity" };
    await world.run(10 * HOUR);
    expect(runOf(life)).toMatchObject({ by: "time", outcome: "failed" });
    expect(endOf(life)).toBeLessThanOrEqual(START + 12 * HOUR);
    expect(failedOf(life)).toMatchObject({ status: "True", reason: "WorkLost" });
    expect(life.events.filter(({ reason }) => reason === "WorkLost")).toHaveLength(1);
    expect(hoursOf(life)).toBeCloseTo(until > 12 ? 1 : 3, 1);
  });

  it("is told to be on, and paid for, if its user holds it just after its resume", async () => {
    const { world, life } = begin(by(60), ONCE);
    await world.run(2.9 * HOUR);
    life.notReady = { until: START + 3 * HOUR + 300, reason: "Creating" };
    await world.run(0.1 * HOUR + 60);
    hold(world, life, true);
    await world.run(4 * HOUR);
    world.touch(life);
    await world.run(5);
    expect(conditionsOf(life.object).find(({ type }) => type === "Running")).toMatchObject({ status: "True" });
    hold(world, life, false);
    await world.run(9 * HOUR);
    expect(hoursOf(life)).toBeCloseTo(hoursOn(life, endOf(life)), 1);
  });
});

describe("a pause that could not be carried out", () => {
  it("counts as hours in which the machine was on", async () => {
    const { world, life } = begin(by(24), ONCE);
    await world.run(0.9 * HOUR);
    world.refuseUpgrades = true;
    await world.run(2.2 * HOUR);
    world.refuseUpgrades = false;
    await world.run(8 * HOUR);
    expect(life.power).toEqual([]);
    expect(hoursOf(life)).toBeCloseTo(8 + 1 / 6, 1);
  });
});

describe("a machine that comes while its user holds the object", () => {
  it("begins the run, where its provider had none at its start", async () => {
    const { world, life } = begin({ duration: "3h" }, [[0, 3]]);
    life.soldOut = true;
    await world.run(HOUR / 2);
    hold(world, life, true);
    await world.run(HOUR / 2);
    life.soldOut = false;
    const machine = { installedAt: world.now, deletedAt: null, goneAt: null, state: "running", retained: false };
    life.machines.push(machine);
    await world.run(2.5 * HOUR);
    expect(runOf(life)["ended"] ?? null).toBeNull();
    await world.run(HOUR);
    expect(runOf(life)).toMatchObject({ outcome: "unknown", hours: "3.00" });
  });

  it("begins it again after an eviction", async () => {
    const { world, life } = begin({ duration: "3h", capacityType: "spot" }, [[0, 3]]);
    life.spot = { capacity: false };
    await world.run(HOUR);
    turn(world, life, "TERMINATED");
    await world.run(60);
    hold(world, life, true);
    await world.run(600);
    turn(world, life, "RUNNING");
    await world.run(2 * HOUR);
    expect(life.events.map(({ reason }) => reason)).toEqual(["Evicted", "StartedAgain"]);
  });
});

describe("the account of a run", () => {
  it("has the hours before each eviction, and none while it waits for a machine", async () => {
    const { world, life } = begin({ duration: "3h", capacityType: "spot" }, [[0, 3]]);
    life.spot = { capacity: true };
    await world.run(2.5 * HOUR);
    for (let round = 0; round < 2; round++) {
      turn(world, life, "TERMINATED");
      await world.run(30);
      world.touch(life);
      await world.run(2.5 * HOUR);
    }
    await world.run(3 * HOUR);
    expect(hoursOf(life)).toBeCloseTo(8, 1);
    expect(Number(runOf(life)["usd"])).toBeCloseTo(8, 1);
  });

  it("stops at an eviction after which there is no machine again", async () => {
    const { world, life } = begin({ duration: "3h", capacityType: "spot" }, [[0, 3]]);
    life.spot = { capacity: false };
    await world.run(HOUR);
    turn(world, life, "TERMINATED");
    await world.run(4 * HOUR);
    expect(runOf(life)).toMatchObject({ by: "eviction", outcome: "failed", hours: "1.00", usd: "1.00" });
  });

  it("has the price and the CO2e of another size from when it was decided", async () => {
    const { world, life } = begin({ duration: "8h" }, [[0, 8]], { gramsCO2: 100 });
    await world.run(HOUR);
    const annotations = decisionOf([[0, 16]], { pricePerHour: 4, gramsCO2: 800 });
    const spec = { ...life.object.spec, duration: "16h" };
    life.object = { ...life.object, spec, metadata: { ...life.object.metadata, annotations } };
    world.touch(life);
    await world.run(16 * HOUR);
    expect(runOf(life)).toMatchObject({ hours: "16.00", usd: "61.00", gramsCO2: "800" });
  });

  it("waits for another spot machine until its deadline allows no start any more", async () => {
    const { world, life } = begin({ duration: "3h", capacityType: "spot", deadline: formatTime(START + 10 * HOUR) }, [
      [0, 3],
    ]);
    life.spot = { capacity: false };
    await world.run(HOUR);
    turn(world, life, "TERMINATED");
    await world.run(5 * HOUR);
    expect(life.events.map(({ reason }) => reason)).toEqual(["Evicted"]);
    await world.run(1.1 * HOUR);
    expect(runOf(life)).toMatchObject({ by: "eviction", outcome: "failed" });
  });
});

describe("a plan that changes what is due", () => {
  it.each<[string, Spec]>([
    ["a duration", { duration: "3h", whenDone: "delete" }],
    ["a limit", { maxLifetime: "24h", whenDone: "keep" }],
  ])("ends a service that becomes a run at the change, with its grace: %s", async (_what, spec) => {
    const { world, life } = begin({ whenDone: "keep" }, [[0, 1]]);
    await world.run(60);
    life.object = { ...life.object, status: { managed: [{}] } };
    await world.run(30 * HOUR);
    life.object = { ...life.object, spec };
    world.touch(life);
    await world.run(800);
    expect(life.machines[0]?.deletedAt).toBeNull();
    expect(hoursOf(life)).toBeCloseTo(30, 1);
    await world.run(200);
    expect(life.machines[0]?.deletedAt).not.toBeNull();
  });

  it("deletes what was kept after its end with a grace from then on", async () => {
    const { world, life } = begin({ duration: "1h", whenDone: "keep" }, [[0, 1]]);
    await world.run(HOUR / 2);
    const annotations = { ...life.object.metadata.annotations, [ANNOTATION.completed]: "succeeded" };
    life.object = { ...life.object, metadata: { ...life.object.metadata, annotations } };
    world.touch(life);
    await world.run(2 * HOUR);
    life.object = { ...life.object, spec: { duration: "1h", whenDone: "delete" } };
    world.touch(life);
    await world.run(800);
    expect(life.machines[0]?.deletedAt).toBeNull();
    await world.run(200);
    expect(life.machines[0]?.deletedAt).not.toBeNull();
  });
});

describe("a run that got its machine too late for its deadline", () => {
  it("uses the time that is left, and fails", async () => {
    const { world, life } = begin({ duration: "3h", capacityType: "spot", deadline: formatTime(START + 4 * HOUR) }, [
      [0, 3],
    ]);
    life.soldOut = true;
    await world.run(2 * HOUR);
    life.soldOut = false;
    world.touch(life);
    await world.run(5 * HOUR);
    expect(runOf(life)).toMatchObject({ outcome: "failed", hours: "2.00" });
    expect(endOf(life)).toBe(START + 4 * HOUR);
    expect(failedOf(life)).toMatchObject({ status: "True", reason: "WorkLost" });
  });
});
