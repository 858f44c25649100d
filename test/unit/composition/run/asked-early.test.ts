// Another run is asked for before the operator saw that the machine of the last one is off.
import { describe, expect, it } from "vitest";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { powerOf } from "../../../../src/composition/report/run-values.ts";
import { runAccount } from "../../../../src/composition/run/state/run-account.ts";
import { cnrm, HOUR, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

const machine = (currentStatus: string) =>
  cnrm("ComputeInstance", null, { status: { currentStatus, instanceId: "1" } });

/** A run that reported its completion after an hour, and another one that was asked for a minute later. */
async function askedEarly(whenDone: string): Promise<RunWithMachine> {
  const run = new RunWithMachine({ spec: { duration: "3h", whenDone } });
  run.live = [machine("RUNNING")];
  await run.lookFrom(0, 0.98);
  const annotate = (annotations: Record<string, string>): void => {
    run.object = { ...run.object, metadata: { ...run.object.metadata, annotations } };
  };
  annotate({ "landfall.dev/completed": "succeeded" });
  await run.look(1);
  annotate({ "landfall.dev/run": "2" });
  await run.look(61 / 60);
  return run;
}

describe("another run that is asked for before the machine of the last one is seen off", () => {
  it("has its machine started again, and does not end with it", async () => {
    const run = await askedEarly("keep");
    expect(run.record).toMatchObject({ run: "2", end: null });
    run.live = [machine("TERMINATED")];
    const off = await run.lookFrom(63 / 60, 65 / 60);
    expect([off.record.end, powerOf(off)]).toEqual([null, { powerState: "on" }]);
    run.live = [machine("RUNNING")];
    await run.lookFrom(67 / 60, 2);
    expect(run.record).toMatchObject({ run: "2", end: null, wasReady: true });
    expect(runAccount(run.record as RunRecord, START + 2 * HOUR).hours).toBeCloseTo(55 / 60, 1);
    run.live = [machine("TERMINATED")];
    expect((await run.lookFrom(2.1, 2.2)).record.end).toMatchObject({ by: "provider" });
  });

  it("ends with its own shutdown, also minutes after it began", async () => {
    const run = await askedEarly("keep");
    run.live = [machine("TERMINATED")];
    await run.look(63 / 60);
    run.live = [machine("RUNNING")];
    await run.lookFrom(65 / 60, 67 / 60);
    run.live = [machine("TERMINATED")];
    const over = await run.look(69 / 60);
    expect([over.record.end?.by, powerOf(over)]).toEqual(["provider", {}]);
  });

  it("waits for it, if it is to be stopped, and inherits nothing", async () => {
    const run = await askedEarly("stop");
    expect(run.record).toMatchObject({ run: "", end: { by: "annotation" } });
    await run.look(1.2);
    expect(run.record?.run).toBe("");
    run.live = [machine("TERMINATED")];
    const begun = await run.look(1.3);
    expect(begun.record).toMatchObject({
      run: "2",
      end: null,
      startedAt: run.now,
      firstStartedAt: run.now,
      wasReady: false,
    });
    run.live = [machine("RUNNING")];
    await run.lookFrom(1.4, 2.4);
    expect(run.record).toMatchObject({ run: "2", end: null, wasReady: true });
  });
});
