import { describe, expect, it } from "vitest";
import { whileHeld } from "../../../../src/composition/run/follow/run-status.ts";
import { withoutHeld } from "../../../../src/composition/run/follow/run-pauses.ts";
import { runAccount } from "../../../../src/composition/run/state/run-account.ts";
import { nextRunStep } from "../../../../src/composition/run/state/next-run-step.ts";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { readRunRecord, type RunRecord } from "../../../../src/model/runs/run-record.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { type Life, RunWorld } from "../../../support/composition/run-world.ts";

const START = 1_800_000_000;
const HOUR = 3600;
const SPEC = { duration: "3h", whenDone: "delete", interruptible: { minRun: "1h", resumeCost: "10m" } };

const worldOf = (): RunWorld =>
  new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 900 });

/** An hour, four hours of pause, and the rest. */
function lifeOf(world: RunWorld): Life {
  const segments = [
    { start: formatTime(START), end: formatTime(START + HOUR) },
    { start: formatTime(START + 5 * HOUR), end: formatTime(START + 7 * HOUR + 600) },
  ];
  const placement = { start: segments[0]?.start, end: segments[1]?.end, segments };
  const annotations = { [ANNOTATION.decision]: JSON.stringify({ placement }) };
  return world.add({
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec: SPEC, metadata: { annotations } },
  });
}

function hold(world: RunWorld, life: Life, isHeld: boolean): void {
  const { [ANNOTATION.paused]: _paused, ...others } = life.object.metadata.annotations ?? {};
  const annotations = isHeld ? { ...others, [ANNOTATION.paused]: "true" } : others;
  life.object = { ...life.object, metadata: { ...life.object.metadata, annotations } };
  world.touch(life);
}

const recordIn = (world: RunWorld): RunRecord | undefined =>
  world.secrets().flatMap((secret) => readRunRecord(secret) ?? [])[0];

describe("a run whose object its user pauses", () => {
  it("works on in a planned pause, which nothing carries out, and counts it", async () => {
    const world = worldOf();
    const life = lifeOf(world);
    await world.run(HOUR / 2);
    hold(world, life, true);
    await world.run(HOUR);
    expect(recordIn(world)).toMatchObject({ wasReady: true, plan: { pauses: [] } });
    await world.run(2 * HOUR);
    expect(life.power).toEqual([]);
    expect(life.object.status).toMatchObject({ run: { ended: formatTime(START + 3 * HOUR), hours: "3.00" } });
  });

  it("is paused for the rest of the planned pause once its user resumes it", async () => {
    const world = worldOf();
    const life = lifeOf(world);
    await world.run(HOUR / 2);
    hold(world, life, true);
    await world.run(HOUR);
    hold(world, life, false);
    await world.run(60);
    expect(life.power).toMatchObject([{ on: false }]);
    expect(recordIn(world)?.plan.pauses).toEqual([{ from: START + 1.5 * HOUR, to: START + 5 * HOUR }]);
  });

  const held = (wasReady: boolean, seconds: number): { record: RunRecord; conditions: Map<string, string> } => {
    const pauses = [{ from: START + HOUR, to: START + 2 * HOUR }];
    const plan = { ...planOf(SPEC, 900), pauses, resume: 600 };
    const record: RunRecord = {
      ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "n", run: "", startedAt: START, end: null },
      ...{ removedAt: null, wasReady, machine: null, reported: null, pricePerHour: 1, gramsCO2: 1, plan },
    };
    const now = START + seconds;
    const step = nextRunStep(plan, record, null, now);
    const conditions = whileHeld({ record, step, now }).map(({ type, status, reason }) => [type, status + reason]);
    return { record, conditions: new Map(conditions as [string, string][]) };
  };

  it.each<[string, boolean, number, string]>([
    ["before its pause", true, HOUR / 2, "TrueStarted"],
    ["in its pause", false, 1.5 * HOUR, "FalsePaused"],
    ["after its pause, still off", false, 2.1 * HOUR, "FalsePaused"],
    ["after its resume", true, 2.5 * HOUR, "TrueStarted"],
  ])("says whether its machine is on: %s", (_what, wasReady, seconds, said) => {
    expect(held(wasReady, seconds).conditions.get("Running")).toBe(said);
  });

  it("drops the present pause, and keeps those that are over or ahead", () => {
    const { record } = held(false, 1.5 * HOUR);
    const on = { ...record, wasReady: true };
    expect(withoutHeld(record.plan, START + 1.5 * HOUR).pauses).toEqual([]);
    for (const seconds of [HOUR / 2, 2 * HOUR]) expect(withoutHeld(record.plan, START + seconds)).toEqual(record.plan);
    const worked = { ...on, plan: withoutHeld(record.plan, START + 1.5 * HOUR) };
    expect(runAccount(worked, START + 3 * HOUR).hours).toBe(3);
  });

  it("does not begin another run, until its user resumes it", async () => {
    const world = worldOf();
    const life = world.add({
      ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { annotations: {} } },
      spec: { duration: "1h", whenDone: "stop" },
    });
    await world.run(2 * HOUR);
    const { annotations } = life.object.metadata;
    life.object = {
      ...life.object,
      metadata: { ...life.object.metadata, annotations: { ...annotations, [ANNOTATION.run]: "2" } },
    };
    hold(world, life, true);
    await world.run(2 * HOUR);
    expect(recordIn(world)).toMatchObject({ run: "", end: { by: "time" } });
    hold(world, life, false);
    await world.run(60);
    expect(recordIn(world)).toMatchObject({
      run: "2",
      startedAt: expect.closeTo(world.now - 60, -1) as number,
      end: null,
    });
  });
});
