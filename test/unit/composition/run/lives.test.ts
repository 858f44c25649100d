import { describe, expect, it } from "vitest";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { readRunRecord, type RunRecord } from "../../../../src/model/runs/run-record.ts";
import { parseDuration } from "../../../../src/model/time.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { conditionsOf } from "../../../../src/model/kubernetes.ts";
import { type Life, RunWorld } from "../../../support/composition/run-world.ts";

const GRACE = 900;
const START = 1_800_000_000;

/** A generator of numbers in [0, 1), the same for each run: mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const vm = (spec: Record<string, unknown>, annotations: Record<string, string> = {}): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec },
  metadata: { annotations },
});

const calm = (): RunWorld =>
  new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: GRACE });

const annotate = (life: Life, annotations: Record<string, string>): void => {
  const { metadata } = life.object;
  life.object = { ...life.object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
};
const conditionOf = (life: Life, type: string) => conditionsOf(life.object).find((one) => one.type === type);
const reasons = ({ events }: Life): string[] => events.map(({ reason }) => reason);

describe("the life of a run", () => {
  it("ends at its duration, is deleted after the grace, and stays with its account", async () => {
    const world = calm();
    const life = world.add(vm({ duration: "1h", whenDone: "delete" }));
    await world.run(3 * 3600);
    expect(life.machines).toHaveLength(1);
    const [machine] = life.machines;
    expect(machine?.deletedAt).toBeGreaterThanOrEqual(START + 3600 + GRACE);
    expect(machine?.deletedAt).toBeLessThanOrEqual(START + 3600 + GRACE + 3);
    expect(reasons(life)).toEqual(["Completed", "DeletedAfterEnd"]);
    expect(conditionOf(life, "Completed")).toMatchObject({ status: "True", reason: "DurationOver" });
    expect(life.object.status).toMatchObject({ managed: [], run: { by: "time", hours: "1.00" } });
  });

  it("is not started again by being applied again, and is by another value of landfall.dev/run", async () => {
    const world = calm();
    const life = world.add(vm({ duration: "1h", whenDone: "delete" }));
    await world.run(7200);
    world.touch(life);
    await world.run(7200);
    expect(life.machines).toHaveLength(1);
    annotate(life, { [ANNOTATION.run]: "2" });
    world.touch(life);
    await world.run(60);
    expect(life.machines).toHaveLength(2);
    await world.run(7200);
    expect(life.machines.every(({ goneAt }) => goneAt !== null)).toBe(true);
    expect(world.secrets().map(readRunRecord)).toMatchObject([{ run: "2", end: { by: "time" } }]);
  });

  it.each(["delete", "keep"])(
    "is not started again without landfall.dev/run, or with an empty one: %s",
    async (whenDone) => {
      const world = calm();
      const life = world.add(vm({ duration: "1h", whenDone }, { [ANNOTATION.run]: "2" }));
      await world.run(600);
      annotate(life, { [ANNOTATION.completed]: "succeeded" });
      world.touch(life);
      await world.run(7200);
      for (const given of [{}, { [ANNOTATION.run]: "" }]) {
        life.object = { ...life.object, metadata: { ...life.object.metadata, annotations: given } };
        world.touch(life);
        await world.run(60);
      }
      expect(life.machines).toHaveLength(1);
      expect(world.secrets().map(readRunRecord)).toMatchObject([{ run: "2", end: { outcome: "succeeded" } }]);
    },
  );

  it("does not show the end of the last run while another one runs", async () => {
    const world = calm();
    const life = world.add(vm({ duration: "1h", whenDone: "delete", interruptible: {} }));
    await world.run(7200);
    expect(conditionOf(life, "Completed")).toMatchObject({ status: "True" });
    annotate(life, { [ANNOTATION.run]: "2" });
    world.touch(life);
    await world.run(60);
    expect(conditionOf(life, "Running")).toMatchObject({ status: "True" });
    for (const type of ["Completed", "Failed"])
      expect(conditionOf(life, type)).toMatchObject({ status: "False", reason: "Running" });
  });

  it("is not deleted at once when its duration is made shorter than it has run", async () => {
    const world = calm();
    const life = world.add(vm({ duration: "3h", whenDone: "delete" }));
    await world.run(7200);
    life.object = { ...life.object, spec: { ...life.object.spec, duration: "1h" } };
    world.touch(life);
    await world.run(3600);
    expect(life.machines[0]?.deletedAt).toBeGreaterThanOrEqual(START + 7200 + GRACE);
    expect(life.object.status).toMatchObject({ run: { by: "time", hours: "2.00" } });
  });

  it("is over when its completion is reported, once, whatever is reported later", async () => {
    const world = calm();
    const life = world.add(vm({ duration: "1h", whenDone: "delete", keepFailed: "2h" }));
    await world.run(600);
    annotate(life, { [ANNOTATION.completed]: "failed" });
    world.touch(life);
    await world.run(60);
    annotate(life, { [ANNOTATION.completed]: "succeeded" });
    world.touch(life);
    await world.run(60);
    expect(conditionOf(life, "Failed")).toMatchObject({ status: "True", reason: "Reported" });
    expect(reasons(life)).toEqual(["Failed"]);
    await world.run(2 * 3600);
    expect(life.machines[0]?.deletedAt).toBeGreaterThanOrEqual(START + 600 + 7200);
  });

  it("is kept and overdue without whenDone, and says so once", async () => {
    const world = calm();
    const life = world.add(vm({ duration: "1h" }));
    await world.run(3 * 3600);
    expect(life.machines[0]?.deletedAt).toBeNull();
    expect(reasons(life)).toEqual([]);
    annotate(life, { [ANNOTATION.completed]: "succeeded" });
    world.touch(life);
    await world.run(3600);
    expect(reasons(life)).toEqual(["Completed", "Overdue"]);
    expect(conditionOf(life, "Overdue")).toMatchObject({ status: "True" });
  });
});

describe("a controller that is killed", () => {
  /** A run of 30 minutes whose controller dies in the call with this number; how many calls there were. */
  async function killedAt(kind: string, call: number): Promise<{ life: Life; calls: number }> {
    let calls = 0;
    const dies = (): boolean => (calls += 1) === call;
    const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies, graceSeconds: 60 });
    const life = world.add({ ...vm({ duration: "10m", maxLifetime: "20m", whenDone: "delete" }), kind });
    await world.run(1800);
    return { life, calls };
  }

  it.each(["VmTemplate", "KaasCluster"])("in any of its calls for a %s ends it once, and in time", async (kind) => {
    const { calls } = await killedAt(kind, 0);
    expect(calls).toBeGreaterThan(20);
    for (let call = 1; call <= calls; call += 1) {
      const { life } = await killedAt(kind, call);
      const [machine, ...others] = life.machines;
      expect(others).toEqual([]);
      const deletedAt = (machine?.deletedAt ?? Infinity) - START;
      expect(deletedAt).toBeGreaterThanOrEqual(660);
      expect(deletedAt).toBeLessThanOrEqual(660 + AS_LATE + 30);
      expect(conditionOf(life, "Completed")).toMatchObject({ status: "True", reason: "DurationOver" });
      expect(reasons(life).filter((reason) => reason === "Completed").length).toBeLessThanOrEqual(1);
    }
  });
});

/** Seconds by which a limit may be missed: a Lease expires after 15 s, and somebody looks every 3 s. */
const AS_LATE = 30;
const RUNS = 200;

const secondsOf = ({ object }: Life, field: string): number | null => {
  const text = object.spec?.[field];
  return typeof text === "string" ? parseDuration(text) : null;
};

/** When its machine may be deleted, at the earliest. */
function earliestDeletion(life: Life, { startedAt, end }: RunRecord): number {
  const limit = startedAt + (secondsOf(life, "maxLifetime") ?? Infinity);
  if (life.object.spec?.["whenDone"] !== "delete") return limit;
  const over = end?.by === "time" ? startedAt + (secondsOf(life, "duration") ?? Infinity) : (end?.at ?? Infinity);
  return Math.min(over + GRACE, limit);
}

/** Seconds by which it outlived its limit, and by which it was deleted too early; null where there is no such limit or deletion. */
function faultsOf(life: Life, record: RunRecord): { late: number | null; early: number | null } {
  const { deletedAt = null } = life.machines[0] ?? {};
  const limit = secondsOf(life, "maxLifetime");
  return {
    late: limit === null ? null : (deletedAt ?? Infinity) - (record.startedAt + limit),
    early: deletedAt === null ? null : earliestDeletion(life, record) - deletedAt,
  };
}

function randomSpec(random: () => number): Record<string, unknown> {
  const pick = <T>(...from: T[]): T => from[Math.floor(random() * from.length)] as T;
  const minutes = (least: number, most: number): string => `${String(Math.round(least + random() * (most - least)))}m`;
  const maxLifetime = pick(undefined, minutes(40, 60));
  const whenDone = pick("delete", "keep", undefined);
  return {
    ...{ duration: minutes(2, 40), keepFailed: minutes(1, 90) },
    ...(maxLifetime === undefined ? {} : { maxLifetime }),
    ...(whenDone === undefined ? {} : { whenDone }),
  };
}

/** Runs that are added one after the other, some of which report their completion, and three hours. */
async function live(seed: number): Promise<{ world: RunWorld; kills: number }> {
  const random = seeded(seed);
  let [kills, lastKill] = [0, 0];
  const dies = (): boolean => {
    // A second kill before anybody leads again would only make the outage longer than a Lease.
    if (world.now - lastKill < 45 || random() >= 0.03) return false;
    [kills, lastKill] = [kills + 1, world.now];
    return true;
  };
  const world: RunWorld = new RunWorld({ random, deletionSeconds: () => 2 + 40 * random(), dies, graceSeconds: GRACE });
  for (let index = 0; index < RUNS; index++) {
    const life = world.add(vm(randomSpec(random)));
    await world.run(1);
    const outcome = random() < 0.5 ? "succeeded" : "failed";
    if (life.machines.length > 0 && random() < 0.3) annotate(life, { [ANNOTATION.completed]: outcome });
  }
  await world.run(3 * 3600);
  return { world, kills };
}

describe(`${String(RUNS)} runs with random ends, kills of the controller and clocks that step`, () => {
  it.each([16, 17])("outlive no maxLifetime, and none is ended early or twice: seed %i", async (seed) => {
    const { world, kills } = await live(seed);
    const records = new Map(
      world
        .secrets()
        .flatMap((secret) => readRunRecord(secret) ?? [])
        .map((one) => [one.uid, one]),
    );
    const faults = world.lives.map((life) => {
      const record = records.get(life.object.metadata.uid ?? "");
      if (record === undefined) throw new Error("a run has no record");
      return faultsOf(life, record);
    });
    expect(faults.filter(({ late }) => late !== null && late > AS_LATE)).toEqual([]);
    expect(faults.filter(({ early }) => early !== null && early > 0)).toEqual([]);
    expect(world.lives.filter(({ machines }) => machines.length !== 1)).toEqual([]);
    const deletions = world.lives.map((life) => reasons(life).filter((reason) => reason === "DeletedAfterEnd").length);
    expect(Math.max(...deletions)).toBe(1);
    const kept = world.lives.filter(({ machines }) => machines[0]?.deletedAt === null);
    expect(kept.filter(({ object }) => object.spec?.["whenDone"] === "delete")).toEqual([]);
    expect(faults.filter(({ late }) => late !== null).length).toBeGreaterThan(50);
    expect(kills).toBeGreaterThan(15);
  });
});
