// A machine or a cluster that takes more than twice the time to boot: the work of its run counts from when it is there.
import { describe, expect, it } from "vitest";
import { isUnmade } from "../../../../src/composition/run/machine/withdraw.ts";
import { runAccount } from "../../../../src/composition/run/state/run-account.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { readRunRecord, type RunRecord } from "../../../../src/model/runs/run-record.ts";
import { formatTime } from "../../../../src/model/time.ts";
import {
  cnrm,
  decisionOf,
  HOUR,
  revisionOf,
  RunWithMachine,
  START,
  STOCKOUT,
} from "../../../support/composition/run-with-machine.ts";
import { RunWorld } from "../../../support/composition/run-world.ts";

const RUN = { duration: "1h", whenDone: "delete", provider: "gcp" };
/** Twice the time to boot of a machine, and of a cluster, at Google Cloud. */
const [MACHINE, CLUSTER] = [{ lateAfter: 180 }, { lateAfter: 1200 }];
const running = cnrm("ComputeInstance", null, { status: { currentStatus: "RUNNING", instanceId: "1" } });

/** A resource that its operator is creating. */
const creating = (kind: string): Resource => ({
  ...cnrm(kind, null),
  status: { conditions: [{ type: "Ready", status: "False", reason: "Updating", message: "" }] },
});

const made = (kind: string): Resource =>
  kind === "ComputeInstance" ? running : cnrm("ContainerCluster", null, { status: { endpoint: "1.2.3.4" } });

describe("a machine that is created slowly", () => {
  it.each([
    ["VmTemplate", "ComputeInstance", MACHINE],
    ["KaasCluster", "ContainerCluster", CLUSTER],
  ])("lets its run begin when it is there: %s", async (object, kind, record) => {
    const world = new RunWithMachine({ spec: RUN, kind: object, record });
    world.live = [creating(kind)];
    const first = await world.look(0.01);
    expect(world.condition(first, "Running")).toMatchObject({ status: "True" });
    expect(first.step.lookAt).toBe(START + record.lateAfter);
    const late = await world.lookFrom(0.02, 0.5);
    expect(late.record).toMatchObject({ refused: true });
    expect(world.condition(late, "Running")).toMatchObject({ status: "False", reason: "NoMachine" });
    expect(world.condition(late, "Running")?.message).toContain("is not there yet");
    world.live = [made(kind)];
    const ended = await world.lookFrom(0.5, 2);
    expect(ended.record.end).toEqual({ at: START + 1.5 * HOUR, by: "time", outcome: "unknown" });
    expect(world.status(ended)).toMatchObject({ started: formatTime(START + 0.5 * HOUR), hours: "1.00" });
  });

  it("has its time to boot learned all the same, unless its provider refused it", async () => {
    for (const refusal of [null, STOCKOUT]) {
      const world = new RunWithMachine({ spec: RUN, record: MACHINE });
      const learned: number[] = [];
      const observe = (_provider: string, _kind: string, { seconds }: { seconds: number }) =>
        Promise.resolve(void learned.push(seconds));
      Object.assign(world.context, { boots: { observe, known: () => ({}) } });
      world.live = [refusal === null ? creating("ComputeInstance") : cnrm("ComputeInstance", refusal)];
      await world.lookFrom(0.01, 0.25);
      world.live = [running];
      await world.look(0.25);
      expect(world.record).toMatchObject({ wasReady: true, startedAt: START + HOUR / 4 });
      expect(learned).toEqual(refusal === null ? [HOUR / 4] : []);
    }
  });

  it("counts from the start if it is there in time", async () => {
    const world = new RunWithMachine({ spec: RUN, record: MACHINE });
    world.live = [creating("ComputeInstance")];
    await world.look(0.01);
    world.live = [running];
    const ended = await world.lookFrom(0.045, 2);
    expect(ended.record.end?.at).toBe(START + HOUR);
  });

  it.each([
    ["since its operator says so", START + 2 * HOUR, 2],
    ["at its start, if that was in time", START + 120, 0],
  ])("has come while no controller looked: %s", async (_what, at, since) => {
    const revisions = [revisionOf("deployed", [running])];
    const world = new RunWithMachine({ spec: { ...RUN, duration: "4h" }, record: MACHINE, revisions });
    const condition = { type: "Ready", status: "True", lastTransitionTime: formatTime(at) };
    world.live = [{ ...running, status: { ...running.status, conditions: [condition] } }];
    await world.look(3);
    expect(world.record?.startedAt).toBe(START + since * HOUR);
  });
});

describe("a machine that is created slowly while no controller runs, over a planned pause", () => {
  const parts: [number, number][] = [
    [0, 0.3],
    [2, 3],
  ];
  const begin = async (looks: number): Promise<RunWithMachine> => {
    const spec = { ...RUN, duration: "70m", whenDone: "keep", interruptible: { minRun: "10m", resumeCost: "10m" } };
    const revisions = [revisionOf("deployed", [running])];
    const world = new RunWithMachine({ spec, record: MACHINE, revisions, annotations: decisionOf(parts) });
    world.live = [creating("ComputeInstance")];
    await world.look(0.01);
    world.forget();
    await world.look(looks);
    return world;
  };

  it.each([
    ["in the pause", 1],
    ["after it", 2.1],
  ])("has not begun when one looks again %s", async (_what, looks) => {
    const world = await begin(looks);
    expect(world.record).toMatchObject({ refused: true });
    world.live = [running];
    await world.look(looks + 0.1);
    expect(world.record?.startedAt).toBe(START + (looks + 0.1) * HOUR);
    const run = await world.look(looks + 0.5);
    expect(runAccount(run.record, world.now).hours).toBeCloseTo(0.4, 2);
  });
});

describe("a run whose duration is shorter than a boot", () => {
  const begin = async (): Promise<RunWithMachine> => {
    const world = new RunWithMachine({ spec: { ...RUN, duration: "2m" }, record: MACHINE });
    world.live = [creating("ComputeInstance")];
    await world.look(0.01);
    expect((await world.look(0.04)).record.end).toBeNull();
    return world;
  };

  it("waits for its machine, and works its whole duration", async () => {
    const world = await begin();
    world.live = [running];
    await world.look(0.045);
    const ended = await world.look(1);
    expect(ended.record.end).toEqual({ at: START + 162 + 120, by: "time", outcome: "unknown" });
  });

  it("has failed if it has none after twice the time to boot", async () => {
    const world = await begin();
    const ended = await world.look(0.06);
    expect(ended.record.end).toEqual({ at: START + 180, by: "time", outcome: "failed" });
    expect(world.condition(ended, "Failed")).toMatchObject({ reason: "NoMachine" });
  });
});

describe("another run on a machine that is off", () => {
  const aws = (name: string): Resource => ({
    ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance", metadata: { name: "job", uid: "i" }, spec: {} },
    status: { instanceID: "i-1", state: { name }, conditions: [{ type: "ACK.ResourceSynced", status: "True" }] },
  });

  it("works its whole duration once somebody starts it", async () => {
    const record = { run: "2", firstStartedAt: START, lateAfter: 240 };
    const annotations = { "landfall.dev/run": "2" };
    const world = new RunWithMachine({ spec: { ...RUN, provider: "aws", whenDone: "keep" }, record, annotations });
    world.live = [aws("stopped")];
    await world.look(0.01);
    expect(world.condition(await world.look(0.02), "Running")).toMatchObject({ status: "False", reason: "Starting" });
    const late = await world.lookFrom(0.07, 0.5);
    expect(world.condition(late, "Running")).toMatchObject({ status: "False", reason: "NoMachine" });
    world.live = [aws("running")];
    await world.look(0.5);
    const run = await world.look(0.6);
    expect(world.condition(run, "Running")).toMatchObject({ status: "True" });
    expect(run.step.endsAt).toBe(START + 1.5 * HOUR);
  });

  it("works its whole duration where it is created slowly, because the last one had none", async () => {
    const world = new RunWithMachine({ spec: RUN, record: { ...MACHINE, run: "2", firstStartedAt: START } });
    world.object = {
      ...world.object,
      metadata: { ...world.object.metadata, annotations: { "landfall.dev/run": "2" } },
    };
    world.live = [creating("ComputeInstance")];
    await world.lookFrom(0.01, 0.5);
    world.live = [running];
    const ended = await world.lookFrom(0.5, 2);
    expect(ended.record.end?.at).toBe(START + 1.5 * HOUR);
  });

  it("leaves the machine and its disks if it never starts", () => {
    const end = { at: START + HOUR, by: "time", outcome: "failed" } as const;
    const { record } = new RunWithMachine({ spec: RUN, record: { refused: true, end } });
    expect(isUnmade(record as RunRecord)).toBe(true);
    expect(isUnmade({ ...(record as RunRecord), firstStartedAt: START - HOUR })).toBe(false);
  });
});

it("is late after twice the time to boot of its provider", async () => {
  const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 900 });
  world.add({ ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec: RUN }, metadata: {} });
  await world.run(60);
  expect(world.secrets().map(readRunRecord)).toMatchObject([MACHINE]);
});
