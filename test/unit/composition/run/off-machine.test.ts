// The conditions and the metric of a run say whether its machine is on.
import { describe, expect, it } from "vitest";
import { cnrm, HOUR, RunWithMachine, START, STOCKOUT } from "../../../support/composition/run-with-machine.ts";

const machine = (currentStatus: string, message: string | null = null) =>
  cnrm("ComputeInstance", message, { status: { currentStatus, instanceId: "1" } });

describe("a run without a machine", () => {
  it.each([
    ["its provider refuses the first start", {}, cnrm("ComputeInstance", STOCKOUT)],
    ["its stopped machine cannot start", { run: "2", firstStartedAt: START }, machine("TERMINATED", STOCKOUT)],
    ["its stopped machine does not start", { run: "2", firstStartedAt: START }, machine("TERMINATED")],
  ])("is not running: %s", async (_what, record, live) => {
    const run = new RunWithMachine({ spec: { duration: "2h", whenDone: "stop" }, record });
    run.live = [live];
    await run.look(0.1);
    const waits = await run.look(0.2);
    expect(run.condition(waits, "Running")).toMatchObject({ status: "False", reason: "NoMachine" });
    run.live = [machine("RUNNING")];
    await run.look(0.3);
    expect(run.condition(await run.look(0.4), "Running")).toMatchObject({ status: "True", reason: "Started" });
  });
});

describe("a run that is overdue", () => {
  const overdue = async (word: string) => {
    const run = new RunWithMachine({ spec: { duration: "5h", whenDone: "keep" } });
    run.live = [machine("RUNNING")];
    await run.look(0.01);
    run.live = [machine(word)];
    await run.look(word === "RUNNING" ? 5 : 1);
    const followed = await run.look(11);
    run.context.runMetrics.observe({
      ...{ list: () => run.context.runs.list(), boots: () => ({}) },
      nowSeconds: () => START + 11 * HOUR,
    });
    const metric = run.context.runMetrics.registry.getSingleMetric("landfall_runs_overdue_usd_per_hour");
    return { overdue: run.condition(followed, "Overdue"), price: (await metric?.get())?.values[0]?.value, run };
  };

  it("costs nothing by the hour while its machine is off, also for a new controller", async () => {
    const { overdue: condition, price, run } = await overdue("TERMINATED");
    expect(condition?.message).toContain("still there: its machine is off, and its disks are paid for");
    expect(condition?.message).not.toContain("USD");
    expect(price).toBe(0);
    run.forget();
    expect(run.condition(await run.look(12), "Overdue")?.message).toContain("its machine is off");
  });

  it.each([
    ["by a report", "keep", { "landfall.dev/completed": "succeeded" }],
    ["and should be stopped", "stop", undefined],
  ])("costs the hours in which its machine was on: over %s", async (_what, whenDone, annotations) => {
    const run = new RunWithMachine({ spec: { duration: "5h", whenDone } });
    run.live = [machine("RUNNING")];
    await run.look(0.01);
    run.object = { ...run.object, metadata: { ...run.object.metadata, annotations: annotations ?? {} } };
    await run.look(5);
    run.live = [machine("TERMINATED")];
    await run.look(7);
    run.live = [machine("RUNNING")];
    await run.look(9);
    const { step, ...last } = await run.look(11);
    const still = { ...last, step: whenDone === "stop" ? { ...step, stillOn: "RUNNING" } : step };
    expect(run.condition(still, "Overdue")?.message).toContain("4.00 USD since then, 1.0000 USD for each hour");
    run.live = [machine("TERMINATED")];
    const off = await run.look(12);
    const message = run.condition(off, "Overdue")?.message;
    if (whenDone === "keep") expect(message).toContain("5.00 USD since then; its machine is off");
    expect(off.record.end?.at ?? START + 5 * HOUR).toBe(START + 5 * HOUR);
  });

  it("costs its price while its machine is on", async () => {
    const { overdue: condition, price } = await overdue("RUNNING");
    expect(condition?.message).toContain("6.00 USD since then, 1.0000 USD for each hour");
    expect(price).toBe(1);
  });
});
