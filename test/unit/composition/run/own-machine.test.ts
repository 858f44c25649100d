// A release has more than a machine. The account and the end of a run go by the machine, and by what its provider says of it.
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/composition/types.ts";
import { formatTime } from "../../../../src/model/time.ts";
import {
  cnrm,
  decisionOf,
  HOUR,
  RunWithMachine,
  QUOTA,
  START,
  STOCKOUT,
} from "../../../support/composition/run-with-machine.ts";

const machine = (currentStatus: string, spec: Record<string, unknown> = {}): Resource =>
  cnrm("ComputeInstance", null, { spec, status: { currentStatus, instanceId: "123" } });
const FIREWALL = cnrm("ComputeFirewall", QUOTA);
const PAUSING = {
  ...{ duration: "3h", whenDone: "delete", interruptible: { minRun: "1h" } },
  deadline: formatTime(START + 20 * HOUR),
};
const ONCE = decisionOf([
  [0, 1],
  [3, 5 + 1 / 6],
]);

describe("a run whose machine is on while another resource of its release fails", () => {
  it("has worked, and is paid for, from its start", async () => {
    const run = new RunWithMachine({ spec: { duration: "3h", whenDone: "delete" } });
    run.live = [machine("RUNNING"), FIREWALL];
    const ended = await run.lookFrom(0.01, 4);
    expect(run.ready()).toMatchObject({ status: "False", reason: "ProviderCapacity" });
    expect(run.status(ended)).toMatchObject({ hours: "3.00", outcome: "unknown" });
    expect(run.condition(ended, "Completed")).toMatchObject({ status: "True", reason: "DurationOver" });
  });

  it("continues after its pause, and loses no work", async () => {
    const run = new RunWithMachine({ spec: PAUSING, annotations: ONCE });
    run.live = [machine("RUNNING")];
    await run.lookFrom(0.01, 1.02);
    run.live = [machine("TERMINATED"), FIREWALL];
    await run.lookFrom(1.03, 2.99);
    run.live = [machine("RUNNING"), FIREWALL];
    const ended = await run.lookFrom(3, 12);
    expect(run.condition(ended, "Completed")).toMatchObject({ status: "True", reason: "DurationOver" });
    expect(Number(run.status(ended)["hours"])).toBeCloseTo(3.17, 1);
    expect(run.events.filter((event) => event.startsWith("WorkLost"))).toEqual([]);
  });

  it("begins again after an eviction", async () => {
    const spec = { duration: "2h", whenDone: "delete", capacityType: "spot", deadline: formatTime(START + 8 * HOUR) };
    const run = new RunWithMachine({ spec, record: { wasReady: true, bootSeconds: 60 } });
    const spot = { scheduling: { provisioningModel: "SPOT" } };
    run.live = [machine("RUNNING", spot)];
    await run.look(0.9);
    run.live = [machine("TERMINATED", spot), FIREWALL];
    await run.look(1);
    run.live = [machine("RUNNING", spot), FIREWALL];
    const ended = await run.lookFrom(1.02, 9);
    expect(run.condition(ended, "Completed")).toMatchObject({ status: "True", reason: "DurationOver" });
    expect(run.status(ended)).toMatchObject({ evictions: 1, outcome: "unknown" });
  });
});

describe("a cluster with a pool that its provider has no nodes for", () => {
  const pool = (message: string | null): Resource => cnrm("ContainerNodePool", message);
  it.each<[string, Resource[]]>([
    ["its control plane", [cnrm("ContainerCluster", null), pool(STOCKOUT)]],
    ["another pool", [cnrm("ContainerCluster", "is being upgraded"), pool(STOCKOUT), pool(null)]],
  ])("is paid for while it has %s", async (_what, live) => {
    const run = new RunWithMachine({ spec: { duration: "5h", whenDone: "delete" }, kind: "KaasCluster" });
    run.live = live;
    const ended = await run.lookFrom(0.01, 6);
    expect(run.status(ended)).toMatchObject({ hours: "5.00", outcome: "unknown" });
  });
});

describe("a planned pause", () => {
  it.each([
    // Its work is done meanwhile.
    ["does not stop the machine", "RUNNING", 3],
    ["stops the machine", "TERMINATED", 3 + 1 / 6],
  ])("is in the account as its provider carries it out: it %s", async (_what, word, hours) => {
    const parts = decisionOf([
      [0, 1],
      [5, 7 + 1 / 6],
    ]);
    const run = new RunWithMachine({ spec: PAUSING, annotations: parts });
    run.live = [machine("RUNNING")];
    await run.lookFrom(0.01, 1.02);
    run.live = [machine(word)];
    await run.lookFrom(1.03, 4.99);
    run.live = [machine("RUNNING")];
    const ended = await run.lookFrom(5, 9);
    expect(Number(run.status(ended)["hours"])).toBeCloseTo(hours, 1);
  });
});
