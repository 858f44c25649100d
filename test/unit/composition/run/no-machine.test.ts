// An id is not a machine: a stopped one has an id, and so has one whose allocation failed. A run without a machine has failed.
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/composition/types.ts";
import {
  cnrm,
  HOUR,
  revisionOf,
  RunWithMachine,
  START,
  STOCKOUT,
} from "../../../support/composition/run-with-machine.ts";

const machine = (currentStatus: string, message: string | null = null): Resource =>
  cnrm("ComputeInstance", message, { status: { currentStatus, instanceId: "123" } });

const STOPPING = { duration: "2h", whenDone: "stop" };
/** The second run on the machine of the first. */
const SECOND = { run: "2", firstStartedAt: START };

/** How Azure's operator rates what it says. */
const SEVERITIES: Readonly<Record<string, string>> = { AllocationFailed: "Warning", Reconciling: "Info" };

const azure = (status: "True" | "False", reason = ""): Resource => ({
  ...{ apiVersion: "compute.azure.com/v1api20240301", kind: "VirtualMachine", metadata: { name: "job", uid: "vm" } },
  status: {
    vmId: "0f6b4b8c-1111-2222-3333-444455556666",
    conditions: [{ type: "Ready", status, severity: SEVERITIES[reason] ?? "", reason, message: reason }],
  },
});

describe("another run on a stopped machine of which its provider has none now", () => {
  const begin = (): RunWithMachine => {
    const run = new RunWithMachine({ spec: STOPPING, record: SECOND, annotations: { "landfall.dev/run": "2" } });
    run.live = [machine("TERMINATED", STOCKOUT)];
    return run;
  };

  it("has failed if it never starts, and is not paid for", async () => {
    const run = begin();
    const ended = await run.lookFrom(0.01, 3);
    expect(run.condition(ended, "Failed")).toMatchObject({ status: "True", reason: "NoMachine" });
    expect(run.condition(ended, "Completed")).toMatchObject({ status: "False" });
    expect(run.status(ended)).toMatchObject({ outcome: "failed", hours: "0.00" });
  });

  it("works its whole duration from when its machine is on", async () => {
    const run = begin();
    await run.lookFrom(0.01, 1);
    run.live = [machine("RUNNING")];
    const ended = await run.lookFrom(1.02, 4);
    expect(ended.record.end?.at).toBeGreaterThanOrEqual(START + 3 * HOUR);
    expect(run.status(ended)).toMatchObject({ outcome: "unknown", hours: "2.00" });
  });
});

describe("a run whose machine never starts", () => {
  it("has failed, although its provider refuses nothing", async () => {
    const run = new RunWithMachine({ spec: STOPPING, record: SECOND, annotations: { "landfall.dev/run": "2" } });
    run.live = [machine("TERMINATED")];
    const ended = await run.lookFrom(0.01, 3);
    expect(run.condition(ended, "Failed")).toMatchObject({ status: "True", reason: "NoMachine" });
  });

  it("has failed, although its provider has given it an id", async () => {
    const run = new RunWithMachine({ spec: { duration: "2h", whenDone: "delete" } });
    run.live = [azure("False", "AllocationFailed")];
    const ended = await run.lookFrom(0.01, 3);
    expect(run.condition(ended, "Failed")).toMatchObject({ status: "True", reason: "NoMachine" });
    expect(run.status(ended)).toMatchObject({ hours: "0.00" });
  });

  it("begins when its provider has one", async () => {
    const run = new RunWithMachine({ spec: { duration: "2h", whenDone: "delete" } });
    run.live = [azure("False", "AllocationFailed")];
    await run.lookFrom(0.01, 1);
    run.live = [azure("False", "Reconciling")];
    await run.look(1.1);
    expect(run.record).toMatchObject({ refused: true });
    run.live = [azure("True")];
    const ended = await run.lookFrom(1.5, 4);
    expect(run.status(ended)).toMatchObject({ outcome: "unknown", hours: "2.00" });
  });
});

describe("another run after one whose machine was never made", () => {
  it.each(["delete", "retain"])(
    "begins, although the machine is to be stopped: deletionPolicy %s",
    async (deletionPolicy) => {
      const refused = cnrm("ComputeInstance", STOCKOUT);
      const run = new RunWithMachine({
        spec: { provider: "gcp", duration: "2h", whenDone: "stop", deletionPolicy },
        revisions: [revisionOf("deployed", [refused])],
      });
      run.live = [refused];
      expect((await run.lookFrom(0.1, 2.3)).record.end).toMatchObject({ outcome: "failed" });
      run.object = { ...run.object, metadata: { ...run.object.metadata, annotations: { "landfall.dev/run": "2" } } };
      const { record, step } = await run.look(2.5);
      expect([record.run, step.do, record.startedAt]).toEqual(["2", "run", run.now]);
    },
  );
});
