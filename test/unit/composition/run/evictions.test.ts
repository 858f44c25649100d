import { describe, expect, it } from "vitest";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import { machineNow } from "../../../../src/composition/run/machine/machine-now.ts";
import { machineOf, wasEvicted } from "../../../../src/composition/run/machine/run-sign.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { conditionsOf } from "../../../../src/model/kubernetes.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { cnrm, revisionOf, RunWithMachine } from "../../../support/composition/run-with-machine.ts";
import { type Life, RunWorld } from "../../../support/composition/run-world.ts";

const START = 1_800_000_000;
const HOUR = 3600;
const vm = (spec: Record<string, unknown>): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { uid: "u" } },
  spec: { duration: "1h", capacity: "spot", capacityType: "spot", whenDone: "delete", ...spec },
});
const record = (given: Partial<RunRecord>): RunRecord => ({
  ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "web", run: "", startedAt: START, end: null },
  ...{ plan: planOf({ duration: "1h" }, 900), wasReady: true, machine: null, reported: null, removedAt: null },
  ...{ pricePerHour: null, gramsCO2: null, ...given },
});

const google = (model: string, currentStatus: string): Resource => ({
  ...{ apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeInstance", metadata: { uid: "one" } },
  ...{ spec: { scheduling: { provisioningModel: model } }, status: { currentStatus } },
});
const amazon = (marketType: string, instanceID: string): Resource => ({
  ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance", metadata: { uid: "one" } },
  ...{ spec: { instanceMarketOptions: { marketType } }, status: { instanceID, state: { name: "running" } } },
});
const soldOut = (machine: Resource, condition: Record<string, unknown>): Resource => ({
  ...machine,
  status: { ...machine.status, conditions: [{ status: "True", lastTransitionTime: formatTime(START), ...condition }] },
});
const NO_CAPACITY = "InsufficientInstanceCapacity: There is no Spot capacity available that matches your request.";
const RECREATING = { type: "ACK.Recoverable", message: NO_CAPACITY };
const ALLOCATING = {
  type: "Ready",
  status: "False",
  severity: "Warning",
  reason: "AllocationFailed",
  message: "Allocation failed.",
};

const azure = (priority: string, vmId: string): Resource => ({
  ...{ apiVersion: "compute.azure.com/v1api20220301", kind: "VirtualMachine", metadata: { uid: "one" } },
  ...{ spec: { priority }, status: { vmId } },
});

const GIVEN_UP = { ...ALLOCATING, severity: "Error" };
/** The machine has another size than it asks for. */
const resized = (machine: Resource): Resource => ({
  ...machine,
  spec: { ...machine.spec, hardwareProfile: { vmSize: "Standard_D8s_v5" } },
  status: { ...machine.status, hardwareProfile: { vmSize: "Standard_D2s_v5" } },
});

describe("an eviction is told apart", () => {
  const before = { machine: { uid: "one", id: "a" } };
  it.each([
    ["a spot machine that Google stopped", record({}), google("SPOT", "TERMINATED"), true],
    ["one on demand that stopped", record({}), google("STANDARD", "TERMINATED"), false],
    ["a spot machine that runs", record({}), google("SPOT", "RUNNING"), false],
    ["a spot machine that was not ready yet", record({ wasReady: false }), google("SPOT", "TERMINATED"), false],
    ["one whose work was reported", record({ reported: { exitCode: 0 } }), google("SPOT", "TERMINATED"), false],
    ["a spot instance that ACK created again", record(before), amazon("spot", "b"), true],
    ["an instance on demand that ACK created again", record(before), amazon("", "b"), false],
    ["the same spot instance", record(before), amazon("spot", "a"), false],
    ["a spot machine that ASO created again", record(before), azure("Spot", "b"), true],
    ["a machine on demand that ASO created again", record({}), azure("Regular", "b"), false],
    ["a spot instance that ACK cannot create again", record(before), soldOut(amazon("spot", "a"), RECREATING), true],
    ["one on demand that ACK cannot create again", record(before), soldOut(amazon("", "a"), RECREATING), false],
    ["a spot machine that ASO cannot create again", record(before), soldOut(azure("Spot", "a"), ALLOCATING), true],
    ["a spot machine that ASO gave up", record(before), soldOut(azure("Spot", "a"), GIVEN_UP), true],
    ["one that is refused another size", record(before), resized(soldOut(azure("Spot", "a"), ALLOCATING)), false],
    [
      "a spot instance that was never there",
      record({ wasReady: false }),
      soldOut(amazon("spot", "a"), RECREATING),
      false,
    ],
  ])("%s", (_what, run, machine, expected) => {
    expect(wasEvicted(vm({}), run, [machine])).toBe(expected);
  });

  it("also while its last state is still shown: it is not on", () => {
    expect(machineNow([soldOut(amazon("spot", "a"), RECREATING)])).toBe("refused");
    expect(machineNow([amazon("spot", "a")])).toBe("on");
  });

  it("from a machine on demand at Azure, whose id is not remembered", () => {
    expect(machineOf([azure("Regular", "a")])).toBeNull();
    expect(machineOf([azure("Spot", "a")])).toEqual({ uid: "one", id: "a" });
  });

  it("from a completion that an annotation reports", () => {
    const done = { ...vm({}), metadata: { annotations: { [ANNOTATION.completed]: "succeeded" } } };
    expect(wasEvicted(done, record({}), [google("SPOT", "TERMINATED")])).toBe(false);
  });
});

const reasons = ({ events }: Life): string[] => events.map(({ reason }) => reason);
const conditionOf = (life: Life, type: string) => conditionsOf(life.object).find((one) => one.type === type);
const runOf = ({ object }: Life): Record<string, unknown> => object.status?.["run"] as Record<string, unknown>;

function evict(world: RunWorld, life: Life): void {
  const machine = life.machines.at(-1);
  if (machine !== undefined) machine.state = "TERMINATED";
  world.touch(life);
}

function started(spec: Record<string, unknown>, dies: () => boolean = () => false): { world: RunWorld; life: Life } {
  const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies, graceSeconds: 900 });
  const life = world.add(vm(spec));
  life.spot = { capacity: true };
  return { world, life };
}

/** The informer tells of every change of a machine. */
async function watch(world: RunWorld, life: Life, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 10) {
    world.touch(life);
    await world.run(10);
  }
}

describe("a run whose spot machine is evicted", () => {
  it("starts anew, is done after its whole duration, and is told and counted", async () => {
    const { world, life } = started({ deadline: formatTime(START + 4 * HOUR) });
    await watch(world, life, HOUR / 2);
    evict(world, life);
    await watch(world, life, HOUR);
    expect(life.machines[0]?.state).toBe("RUNNING");
    expect(life.machines[0]?.deletedAt).toBeNull();
    expect(reasons(life)).toEqual(["Evicted", "StartedAgain"]);
    await watch(world, life, HOUR);
    expect(reasons(life)).toEqual(["Evicted", "StartedAgain", "Completed", "DeletedAfterEnd"]);
    expect(runOf(life)).toMatchObject({ evictions: 1, by: "time" });
    expect(Date.parse(String(runOf(life)["ended"])) / 1000).toBeGreaterThanOrEqual(START + 1.5 * HOUR);
  });

  it("fails with the reason if it cannot be done before its deadline any more", async () => {
    const { world, life } = started({ deadline: formatTime(START + 1.25 * HOUR) });
    await watch(world, life, HOUR / 2);
    evict(world, life);
    await watch(world, life, 60);
    expect(reasons(life)).toEqual(["Evicted", "Failed"]);
    expect(conditionOf(life, "Failed")).toMatchObject({ status: "True", reason: "Evicted" });
    expect(runOf(life)).toMatchObject({ by: "eviction", outcome: "failed", evictions: 1 });
  });

  it("fails when no other machine comes in time, and leaves nothing behind", async () => {
    const { world, life } = started({ deadline: formatTime(START + 3 * HOUR) });
    await watch(world, life, HOUR / 2);
    if (life.spot) life.spot.capacity = false;
    evict(world, life);
    await watch(world, life, HOUR / 2);
    // It can start until two hours after its start, and still be done in time.
    await watch(world, life, 0.9 * HOUR);
    expect(reasons(life)).toEqual(["Evicted"]);
    await watch(world, life, 0.2 * HOUR);
    expect(conditionOf(life, "Failed")).toMatchObject({ status: "True", reason: "Evicted" });
    await watch(world, life, HOUR);
    expect(life.machines.every(({ deletedAt }) => deletedAt !== null)).toBe(true);
  });

  it("keeps the limit of its first start", async () => {
    const { world, life } = started({ maxLifetime: "2h" });
    await watch(world, life, 0.75 * HOUR);
    evict(world, life);
    await watch(world, life, 0.5 * HOUR);
    evict(world, life);
    await watch(world, life, 60);
    expect(runOf(life)).toMatchObject({ by: "eviction", evictions: 2 });
  });

  it("is evicted once, however often the controller dies", async () => {
    let calls = 0;
    const { world, life } = started({ deadline: formatTime(START + 6 * HOUR) }, () => ++calls % 23 === 0);
    await watch(world, life, HOUR / 2);
    evict(world, life);
    await watch(world, life, 3 * HOUR);
    expect(runOf(life)).toMatchObject({ evictions: 1, outcome: "unknown" });
    expect(life.machines).toHaveLength(1);
  });

  it("is over as planned if its machine ends after its duration", async () => {
    const { world, life } = started({ whenDone: "keep" });
    await watch(world, life, 1.5 * HOUR);
    evict(world, life);
    await watch(world, life, 60);
    expect(reasons(life)).not.toContain("Evicted");
    expect(runOf(life)).toMatchObject({ by: "provider" });
  });
});

describe("a spot run whose machine is evicted after its deadline", () => {
  const spot = (currentStatus: string): Resource => ({
    ...cnrm("ComputeInstance", null, { status: { currentStatus, instanceId: "1" } }),
    spec: { scheduling: { provisioningModel: "SPOT" } },
  });

  /** A run that is kept, and that works on after its deadline at five hours. */
  async function evictedAt(hours: number, began: Partial<RunRecord> = {}): Promise<RunWithMachine> {
    const deadline = formatTime(START + 5 * HOUR);
    const spec = { provider: "gcp", duration: "6h", whenDone: "keep", capacityType: "spot", deadline };
    const run = new RunWithMachine({ spec, record: began, revisions: [revisionOf("deployed", [spot("RUNNING")])] });
    run.live = [spot("RUNNING")];
    await run.lookFrom(((began.startedAt ?? START) - START) / HOUR + 0.05, hours - 0.1);
    run.live = [spot("TERMINATED")];
    await run.look(hours);
    return run;
  }

  it("does not start again", async () => {
    const run = await evictedAt(5.2);
    expect(run.events.join()).toContain("the run does not start again");
    expect(run.record?.end).toMatchObject({ at: START + 5.2 * HOUR, by: "eviction", outcome: "failed" });
    run.live = [spot("RUNNING")];
    expect((await run.look(5.4)).record.end).toMatchObject({ by: "eviction" });
  });

  it("starts again if it began after it: it was held back", async () => {
    const run = await evictedAt(8, { startedAt: START + 7 * HOUR });
    expect(run.events.at(-1)).toContain("the run starts again");
    run.live = [spot("RUNNING")];
    expect((await run.lookFrom(8.1, 8.4)).record).toMatchObject({ wasReady: true, end: null });
  });
});
