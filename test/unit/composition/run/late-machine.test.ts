// When the machine of a run comes late, never, or was there all the time although it should have been off.
import { describe, expect, it } from "vitest";
import { summariseReadiness } from "../../../../src/composition/status/summarise-readiness.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
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

const RUN = { duration: "4h", whenDone: "delete", provider: "gcp" };
const running = cnrm("ComputeInstance", null, { status: { currentStatus: "RUNNING", instanceId: "1" } });

/** A resource of which its operator has said nothing since START. */
const silent = (kind: string): Resource => ({
  ...{ apiVersion: running.apiVersion, kind, spec: {} },
  metadata: { name: "job", uid: kind, creationTimestamp: formatTime(START) },
});

describe("an operator that says nothing", () => {
  it("has made no machine, so that the run has failed and cost nothing", async () => {
    const world = new RunWithMachine({ spec: RUN });
    world.live = [silent("ComputeNetwork"), silent("ComputeInstance")];
    const run = await world.lookFrom(0, 5);
    expect(run.record.end).toMatchObject({ outcome: "failed" });
    expect(world.condition(run, "Failed")).toMatchObject({ status: "True", reason: "NoMachine" });
    expect(world.status(run)).toMatchObject({ hours: "0.00", usd: "0.00", gramsCO2: "0" });
  });

  it.each([true, false])("has made none either if no controller looked (it restarted: %s)", async (isAnother) => {
    const world = new RunWithMachine({ spec: RUN, revisions: [revisionOf("deployed", [running])] });
    world.live = [silent("ComputeInstance")];
    await world.look(0.1);
    if (isAnother) world.forget();
    const run = await world.look(6);
    expect(run.record.end).toEqual({ at: START + 4 * HOUR, by: "time", outcome: "failed" });
    expect(world.status(run)).toMatchObject({ hours: "0.00" });
  });

  it("is told after 15 minutes, and the run begins once it has made one", async () => {
    const world = new RunWithMachine({ spec: RUN });
    world.live = [silent("ComputeInstance")];
    await world.look(0.2);
    expect(world.ready()).toMatchObject({ reason: "Creating" });
    const late = await world.look(0.3);
    expect(world.ready()).toMatchObject({ status: "False", reason: "ProviderRetrying" });
    expect(world.ready().message).toMatch(
      /^the operator of ComputeInstance job has said nothing of it for 15 minutes: .*\[REL_PROVIDER_SILENT]$/,
    );
    expect(late.step.do).toBe("run");
    expect(world.record).toMatchObject({ refused: true });
    world.live = [running];
    await world.look(2);
    await world.look(2.1);
    expect(world.record).toMatchObject({ startedAt: START + 2 * HOUR, wasReady: true });
  });

  it("of a kind without conditions, or of one that is being deleted, is not meant", () => {
    const found = (live: Resource) => [{ apiVersion: live.apiVersion, kind: live.kind, name: "job", live }];
    const plain = { ...silent("Secret"), apiVersion: "v1" };
    expect(summariseReadiness(found(plain), START + HOUR)).toMatchObject({ status: "True" });
    const going = silent("ComputeInstance");
    const deleted = { ...going, metadata: { ...going.metadata, deletionTimestamp: formatTime(START) } };
    expect(summariseReadiness(found(deleted), START + HOUR)).toMatchObject({ reason: "Creating" });
  });
});

const PAUSING = { ...RUN, interruptible: { minRun: "1h", resumeCost: "10m" } };
/** An hour, a pause of four hours, and the rest. */
const LAST = 8 + 1 / 6;
const PARTS: [number, number][] = [
  [0, 1],
  [5, LAST],
];

const pausing = (spec: Record<string, unknown> = PAUSING, record: Partial<RunRecord> = {}): RunWithMachine =>
  new RunWithMachine({
    ...{ spec, annotations: decisionOf(PARTS), record: { bootSeconds: 60, ...record } },
    revisions: [revisionOf("deployed", [running])],
  });

describe("a machine that should have been off in a pause", () => {
  it.each([true, false])("and never was, has done its work (the controller was killed: %s)", async (wasKilled) => {
    const world = pausing({ ...PAUSING, deadline: formatTime(START + 9 * HOUR) });
    world.live = [running];
    await world.look(0.1);
    await world.look(1);
    if (wasKilled) world.forget();
    const after = wasKilled ? await world.look(5.5) : await world.lookFrom(1.1, 5.5);
    expect(after.record).toMatchObject({ end: { at: START + 4 * HOUR, by: "time", outcome: "unknown" } });
    expect(world.status(after)).toMatchObject({ hours: "4.00" });
    expect(after.record).not.toHaveProperty("lostSeconds");
    expect(world.events.join()).not.toContain("WorkLost");
  });

  it("and is only after hours, is paused for the rest, and ends by so much earlier", async () => {
    const world = pausing();
    world.live = [running];
    await world.look(0.1);
    const run = await world.look(3);
    expect(run.step).toMatchObject({ do: "pause", pausedUntil: START + 5 * HOUR, endsAt: START + (LAST - 2) * HOUR });
  });

  it("and was, is late as long as it is missing", async () => {
    const world = pausing({ ...PAUSING, deadline: formatTime(START + 9 * HOUR) });
    world.live = [running];
    await world.look(0.1);
    await world.look(1);
    world.live = [cnrm("ComputeInstance", STOCKOUT, { status: { currentStatus: "TERMINATED", instanceId: "1" } })];
    const after = await world.lookFrom(1.1, 7);
    expect(world.record?.lostSeconds).toBeGreaterThan(HOUR / 2);
    expect(after.step.endsAt).toBe(START + 9 * HOUR);
  });
});

describe("a run whose machine comes after its planned pauses", () => {
  it("begins then, is done by its deadline, and says what is lost", async () => {
    const world = pausing({ ...PAUSING, deadline: formatTime(START + 9 * HOUR) }, { refused: true, bootSeconds: null });
    world.live = [cnrm("ComputeInstance", STOCKOUT)];
    await world.lookFrom(0.1, 5.9);
    expect(world.record).toMatchObject({ startedAt: START, refused: true, plan: { pauses: [{}] } });
    world.live = [running];
    await world.look(6);
    const run = await world.look(6.1);
    expect(world.status(run)).toMatchObject({ started: formatTime(START + 6 * HOUR) });
    expect(run.record).toMatchObject({ startedAt: START + 6 * HOUR, lostSeconds: HOUR });
    expect(run.step.endsAt).toBe(START + 9 * HOUR);
    const over = await world.lookFrom(6.2, 12);
    expect(over.record.end).toEqual({ at: START + 9 * HOUR, by: "time", outcome: "failed" });
    expect(world.condition(over, "Failed")).toMatchObject({ reason: "WorkLost" });
    expect(world.status(over)).toMatchObject({ hours: "3.00" });
  });
});

it("begins when its machine comes after a pause that was asked for while it had none", async () => {
  const world = pausing(PAUSING, { refused: true, bootSeconds: null });
  world.live = [cnrm("ComputeInstance", STOCKOUT)];
  await world.look(0.1);
  expect((await world.look(1.5)).record.asked).toMatchObject({ on: false });
  world.live = [running];
  await world.look(6);
  expect(world.record).toMatchObject({ startedAt: START + 6 * HOUR, end: null });
});

describe("a cluster that is made after the end of its run", () => {
  const cluster = (message: string | null): Resource =>
    cnrm("ContainerCluster", message, { status: message === null ? { endpoint: "1.2.3.4" } : {} });

  it("is there, and costs since then", async () => {
    const spec = { duration: "2h", whenDone: "keep", provider: "gcp" };
    const annotations = { "landfall.dev/completed": "failed" };
    const world = new RunWithMachine({ spec, kind: "KaasCluster", annotations, record: { refused: true } });
    world.revisions = [revisionOf("deployed", [cluster(STOCKOUT)])];
    world.live = [cluster(STOCKOUT)];
    expect(world.condition(await world.look(1), "Overdue")).toMatchObject({ status: "False" });
    world.live = [cluster(null)];
    await world.look(3);
    const run = await world.look(5);
    expect(world.condition(run, "Overdue")).toMatchObject({ status: "True" });
    expect(world.condition(run, "Overdue")?.message).toContain("2.00 USD since then");
    expect(world.condition(run, "Failed")).toMatchObject({ status: "True" });
  });
});

describe("a completion that was accepted", () => {
  it("counts, although the planned end passes before the controller looks", async () => {
    const annotations = { "landfall.dev/completed": "succeeded" };
    const world = new RunWithMachine({ spec: RUN, annotations, record: { wasReady: true } });
    world.live = [running];
    const run = await world.look(6);
    expect(run.record.end).toEqual({ at: START + 4 * HOUR, by: "annotation", outcome: "succeeded" });
  });
});
