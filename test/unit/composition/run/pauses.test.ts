import { describe, expect, it } from "vitest";
import { nextRunStep } from "../../../../src/composition/run/state/next-run-step.ts";
import { metered, runAccount } from "../../../../src/composition/run/state/run-account.ts";
import { withPauses } from "../../../../src/composition/run/follow/run-pauses.ts";
import { powerOf } from "../../../../src/composition/report/run-values.ts";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import { signOf } from "../../../../src/composition/run/machine/run-sign.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { type Trusted, trusted } from "../../../../src/model/decision-annotation/trusted.ts";
import { conditionsOf } from "../../../../src/model/kubernetes.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { readRunRecord, type RunRecord } from "../../../../src/model/runs/run-record.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { type Life, RunWorld } from "../../../support/composition/run-world.ts";

const START = 1_800_000_000;
const HOUR = 3600;
const RESUME = 600;
const SPEC = { duration: "3h", whenDone: "delete", interruptible: { minRun: "1h", resumeCost: "10m" } };

/** Three hours of work in two parts: one hour, four hours of pause, and two hours after a resume of ten minutes. */
const PARTS = [
  [0, HOUR],
  [5 * HOUR, 7 * HOUR + RESUME],
] as const;

function decided(
  spec: Record<string, unknown> = SPEC,
  parts: readonly (readonly [number, number])[] = PARTS,
): Trusted<Resource> {
  const segments = parts.map(([from, to]) => ({ start: formatTime(START + from), end: formatTime(START + to) }));
  const placement = { start: segments[0]?.start, end: segments.at(-1)?.end, segments };
  const annotations = { [ANNOTATION.decision]: JSON.stringify({ placement }) };
  const metadata = { annotations };
  return trusted(null, { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec, metadata });
}

const plan = withPauses(planOf(SPEC, 900), decided());
const at = (seconds: number, startedAt = START) =>
  nextRunStep(plan, { startedAt, end: null, removedAt: null }, null, START + seconds);

describe("the steps of a run that pauses", () => {
  it("runs, is stopped at each pause, runs again, and is over when its work and its resumes are done", () => {
    expect(at(HOUR - 1)).toMatchObject({ do: "run", lookAt: START + HOUR, endsAt: START + 7 * HOUR + RESUME });
    expect(at(HOUR - 1).pausedUntil).toBeUndefined();
    expect(at(HOUR)).toMatchObject({ do: "pause", pausedUntil: START + 5 * HOUR, lookAt: START + 5 * HOUR });
    expect(at(5 * HOUR - 1)).toMatchObject({ do: "pause", found: null });
    expect(at(5 * HOUR)).toMatchObject({ do: "run", lookAt: START + 7 * HOUR + RESUME });
    expect(at(7 * HOUR + RESUME)).toMatchObject({ do: "rest", found: { by: "time", at: START + 7 * HOUR + RESUME } });
  });

  it("leaves out a pause that should have begun before the start, and then works without it", () => {
    expect(at(2 * HOUR, START + 2 * HOUR)).toMatchObject({ do: "run", endsAt: START + 5 * HOUR });
  });

  it("is not paused after its limit or its reported end", () => {
    const limited = withPauses(planOf({ ...SPEC, maxLifetime: "4h" }, 900), decided());
    const state = { startedAt: START, end: null, removedAt: null };
    expect(nextRunStep(limited, state, null, START + 4 * HOUR)).toMatchObject({ found: { by: "limit" }, do: "remove" });
    const sign = { by: "annotation", outcome: "succeeded" } as const;
    expect(nextRunStep(plan, state, sign, START + 2 * HOUR)).toMatchObject({ do: "rest", endsAt: START + 2 * HOUR });
  });

  it.each([
    ["without rules", decided({ duration: "3h" })],
    ["without parts", decided(SPEC, [])],
    ["with parts that overlap", decided(SPEC, [PARTS[0], [HOUR - 1, 2 * HOUR]])],
    [
      "with times that are none",
      { ...decided(), metadata: { annotations: { [ANNOTATION.decision]: '{"placement":{"segments":[1,2]}}' } } },
    ],
  ])("has no pauses in a decision %s", (_what, object) => {
    expect(withPauses(planOf(SPEC, 900), object).pauses ?? []).toEqual([]);
  });

  it("is not paid for while it is paused", () => {
    const record = { startedAt: START, pricePerHour: 2, gramsCO2: 5, plan } as RunRecord;
    expect(runAccount(record, START + 7 * HOUR)).toEqual({ hours: 3, usd: 6, grams: 5 });
    expect(runAccount(record, START + 2 * HOUR).hours).toBe(1);
  });

  it("is paid for while its machine was seen to be on, at the price of then", () => {
    const record = {
      ...{ startedAt: START, pricePerHour: 2, gramsCO2: 5, plan, wasReady: true },
      meter: { hours: 0, usd: 0, at: 0, on: true },
    } as unknown as RunRecord;
    // The pause could not be carried out before its third hour, and its machine is back an hour after its end.
    const off = metered(record, START + 3 * HOUR, { on: false });
    expect(runAccount(off, START + 5 * HOUR)).toEqual({ hours: 3, usd: 6, grams: 5 });
    const on = metered(off, START + 6 * HOUR, { on: true });
    expect(runAccount(on, START + 7 * HOUR)).toEqual({ hours: 4, usd: 8, grams: 5 });
    const dearer = metered(on, START + 7 * HOUR, { pricePerHour: 3 });
    expect(runAccount(dearer, START + 8 * HOUR)).toEqual({ hours: 5, usd: 11, grams: 5 });
    const unknown = metered(dearer, START + 8 * HOUR, { pricePerHour: null });
    expect(runAccount(unknown, START + 9 * HOUR)).toMatchObject({ hours: 6, usd: null });
    expect(runAccount(metered(unknown, START + 9 * HOUR, { pricePerHour: 1 }), START + 10 * HOUR).usd).toBeNull();
  });

  it("has the use of an earlier version's record, from its plan, when its machine is next on or off", () => {
    const before = { hours: 1, usd: 5 };
    const record = { startedAt: START, pricePerHour: 2, gramsCO2: 5, plan, before, wasReady: true } as RunRecord;
    const off = metered(record, START + 7 * HOUR, { on: false });
    expect(off).not.toHaveProperty("before");
    expect(off.meter).toEqual({ hours: 3, usd: 5 + 2 * 2, at: START + 7 * HOUR, on: false });
    expect(runAccount(off, START + 9 * HOUR).hours).toBe(3);
  });
});

const reasons = ({ events }: Life): string[] => events.map(({ reason }) => reason);
const stopped = { apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeInstance" };

describe("the life of a run that pauses", () => {
  it("stops its machine for the pause and starts it again, says so, and ends in time", async () => {
    const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 900 });
    const life = world.add(decided());
    const before = structuredClone({ spec: life.object.spec, metadata: life.object.metadata });
    await world.run(2 * HOUR);
    expect(conditionsOf(life.object).find(({ type }) => type === "Running")).toMatchObject({ reason: "Paused" });
    expect(life.object.status).toMatchObject({ pausedUntil: formatTime(START + 5 * HOUR) });
    // A machine that its controller has stopped is not one that ended.
    const record = world.secrets().map(readRunRecord)[0];
    const machine: Resource = { ...stopped, metadata: {}, status: { currentStatus: "TERMINATED" } };
    expect(record === undefined || record === null ? record : signOf(life.object, record, [machine])).toBeNull();
    await world.run(7 * HOUR);
    expect(life.power.map(({ at: time, on }) => [Math.round((time - START) / 60), on])).toEqual([
      [60, false],
      [300, true],
    ]);
    expect(reasons(life)).toEqual(["Paused", "Resumed", "Completed", "DeletedAfterEnd"]);
    expect(life.machines).toHaveLength(1);
    expect(life.object.status).toMatchObject({ run: { hours: "3.17" } });
    // Git sees no difference: neither the spec nor an annotation says that it was paused.
    expect({ spec: life.object.spec, metadata: life.object.metadata }).toEqual(before);
  });

  it("keeps its account after its end, whatever is decided about its pauses then", async () => {
    const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 900 });
    const life = world.add(decided());
    await world.run(8 * HOUR);
    expect(life.object.status).toMatchObject({ run: { hours: "3.17" } });
    const { annotations = {} } = decided(SPEC, [[0, 7 * HOUR + RESUME]]).metadata;
    life.object = { ...life.object, metadata: { ...life.object.metadata, annotations } };
    world.touch(life);
    await world.run(10);
    expect(life.object.status).toMatchObject({ run: { hours: "3.17" } });
  });

  it("pauses, resumes and ends in time though its controller is killed in any call", async () => {
    let calls = 0;
    const dies = (): boolean => ++calls % 23 === 0;
    const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies, graceSeconds: 900 });
    const lives = Array.from({ length: 5 }, () => world.add(decided()));
    await world.run(9 * HOUR);
    for (const { power, machines } of lives) {
      expect(power.map(({ on }) => on)).toEqual([false, true]);
      expect(power[0]?.at).toBeLessThan(START + HOUR + 120);
      expect(power[1]?.at).toBeGreaterThanOrEqual(START + 5 * HOUR);
      expect(power[1]?.at).toBeLessThan(START + 5 * HOUR + 120);
      expect(machines.map(({ goneAt }) => goneAt !== null)).toEqual([true]);
    }
    expect(calls).toBeGreaterThan(100);
  });
});

describe("a run that pauses by recreate", () => {
  const by = { ...SPEC, interruptible: { ...SPEC.interruptible, by: "recreate" } };
  const still = { random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 900 };

  it("deletes its machine for the pause, says that its data disks stay, and creates another one", async () => {
    const world = new RunWorld(still);
    const life = world.add(decided(by));
    await world.run(2 * HOUR);
    const running = conditionsOf(life.object).find(({ type }) => type === "Running");
    expect(running).toMatchObject({ status: "False", reason: "Paused" });
    expect(running?.message).toContain("its machine is deleted until");
    expect(readRunRecord(world.secrets()[0] ?? life.object)?.plan).toMatchObject({ recreates: true });
    await world.run(7 * HOUR);
    expect(life.power.map(({ on, deleted }) => [on, deleted ?? false])).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(reasons(life)).toEqual(["Paused", "Resumed", "Completed", "DeletedAfterEnd"]);
    expect(life.object.status).toMatchObject({ run: { hours: "3.17" } });
  });

  it("deletes and creates once each though its controller is killed in any call", async () => {
    let calls = 0;
    const world = new RunWorld({ ...still, dies: () => ++calls % 19 === 0 });
    const lives = Array.from({ length: 5 }, () => world.add(decided(by)));
    await world.run(9 * HOUR);
    for (const { power, machines } of lives) {
      expect(power.map(({ on, deleted }) => [on, deleted ?? false])).toEqual([
        [false, true],
        [true, false],
      ]);
      expect(machines.map(({ goneAt }) => goneAt !== null)).toEqual([true]);
    }
    expect(calls).toBeGreaterThan(100);
  });

  it("stops a machine that is to be retained: deleting its resource would let it run on", () => {
    const kept = decided({ ...by, deletionPolicy: "retain" });
    expect(withPauses(planOf(kept.spec ?? {}, 900), kept).recreates).toBeUndefined();
  });

  it("stops the machine at its end, if that is asked for", () => {
    const stopping = withPauses(planOf({ ...by, whenDone: "stop" }, 900), decided(by));
    const record = { plan: stopping, startedAt: START, end: null, removedAt: null, run: "" } as unknown as RunRecord;
    const powerAt = (seconds: number) => {
      const step = nextRunStep(stopping, record, null, START + seconds);
      return powerOf({ record, step, now: START + seconds }).powerState;
    };
    expect([powerAt(60), powerAt(2 * HOUR), powerAt(6 * HOUR), powerAt(9 * HOUR)]).toEqual([
      ...[undefined, "deleted", "on", "off"],
    ]);
  });
});
