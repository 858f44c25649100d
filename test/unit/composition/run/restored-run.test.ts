// Objects that are restored have new uids and no status (docs/operations/lifecycle.md). The records of their runs say what is over.
import { describe, expect, it } from "vitest";
import { LABEL } from "../../../../src/composition/keys.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { conditionsOf } from "../../../../src/model/kubernetes.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { readRunRecord, type RunRecord } from "../../../../src/model/runs/run-record.ts";
import { powerOf } from "../../../../src/composition/report/run-values.ts";
import {
  cnrm,
  decisionOf,
  revisionOf,
  RunWithMachine,
  type RunWithMachineOptions,
  START,
} from "../../../support/composition/run-with-machine.ts";
import { type Life, RunWorld } from "../../../support/composition/run-world.ts";

const HOUR = 3600;

/** A run with this spec, after so many hours. */
async function after(hours: number, spec: Record<string, unknown>): Promise<{ world: RunWorld; life: Life }> {
  const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 60 });
  const head = { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: {} };
  const life = world.add({ ...head, spec });
  await world.run(hours * HOUR);
  return { world, life };
}

const over = (whenDone: string): Promise<{ world: RunWorld; life: Life }> =>
  after(2.5, { duration: "1h", whenDone, ...(whenDone === "keep" ? { maxLifetime: "2h" } : {}) });

/** The object as the backup of the documentation has it, created again: without uid and status. */
function restore(
  world: RunWorld,
  life: Life,
  { annotations = {}, isLabelled = true }: { annotations?: Record<string, string>; isLabelled?: boolean } = {},
): void {
  const { status: _status, ...kept } = life.object;
  const labels: Record<string, string> = isLabelled ? { [LABEL.releaseName]: kept.metadata.uid ?? "" } : {};
  const object: Resource = { ...kept, metadata: { ...kept.metadata, uid: "restored", annotations, labels } };
  life.object = object;
  life.events.length = 0;
  world.kill();
}

const reasons = ({ events }: Life): string[] => events.map(({ reason }) => reason);
const completed = ({ object }: Life) => conditionsOf(object).find(({ type }) => type === "Completed");
const recordsIn = (world: RunWorld): RunRecord[] => world.secrets().flatMap((secret) => readRunRecord(secret) ?? []);

describe("an object that is restored after its run", () => {
  it.each(["delete", "stop", "keep"])("starts nothing, and ended when it did: whenDone: %s", async (whenDone) => {
    const { world, life } = await over(whenDone);
    const { length } = life.machines;
    const [before] = recordsIn(world);
    expect(before?.end).not.toBeNull();
    restore(world, life);
    await world.run(3 * HOUR);
    expect(reasons(life)).toEqual(["RunRestored"]);
    expect(life.machines).toHaveLength(length);
    const [record, ...others] = recordsIn(world);
    expect(record).toMatchObject({ uid: "restored", end: before?.end, startedAt: before?.startedAt });
    expect(others).toEqual([]);
  });

  it("is Completed again", async () => {
    const { world, life } = await over("delete");
    const before = completed(life);
    restore(world, life);
    await world.run(60);
    const { lastTransitionTime: _time, ...shown } = completed(life) ?? {};
    expect(shown).toMatchObject({ status: "True", reason: "DurationOver", message: before?.message });
  });

  it("leaves the record of a release that it does not have, so that this is still ended", async () => {
    const { world, life } = await over("stop");
    restore(world, life, { isLabelled: false });
    await world.run(60);
    expect(reasons(life)).not.toContain("RunRestored");
    expect(recordsIn(world).map(({ uid }) => uid)).toContain("uid-0");
    const gone = await over("delete");
    restore(gone.world, gone.life, { isLabelled: false });
    await gone.world.run(60);
    expect(reasons(gone.life)).toEqual(["RunRestored"]);
  });

  it("begins the run that it asks for by another value of landfall.dev/run", async () => {
    const { world, life } = await over("delete");
    restore(world, life, { annotations: { [ANNOTATION.run]: "2" } });
    await world.run(0.5 * HOUR);
    expect(reasons(life)).toEqual([]);
    expect(life.machines).toHaveLength(2);
    expect(completed(life)?.status).not.toBe("True");
  });
});

describe("an object that is restored before its run is over", () => {
  it.each<[string, number, Record<string, unknown>]>([
    ["during its run", 0, { duration: "6h" }],
    ["during its run, with a limit", 0, { duration: "6h", maxLifetime: "7h" }],
    ["after its end, at which no controller ran", 2, { duration: "6h" }],
  ])("continues it, and ends when it would have: %s", async (_what, outage, more) => {
    const { world, life } = await after(5, { whenDone: "delete", ...more });
    const began = life.machines[0]?.installedAt ?? 0;
    world.kill();
    world.now += outage * HOUR;
    restore(world, life);
    await world.run(3 * HOUR);
    const [record, ...others] = recordsIn(world);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ uid: "restored", startedAt: began, end: { by: "time", outcome: "unknown" } });
    expect(record?.end?.at).toBe(began + 6 * HOUR);
    expect(record?.removedAt).toBeLessThan(began + Math.max(5 + outage, 6) * HOUR + 200);
    expect(reasons(life)).toEqual(["RunRestored", "Completed", "DeletedAfterEnd"]);
    expect(life.machines).toHaveLength(1);
  });

  it("begins anew without the label of its release", async () => {
    const { world, life } = await after(5, { whenDone: "delete", duration: "6h" });
    restore(world, life, { isLabelled: false });
    await world.run(60);
    expect(reasons(life)).not.toContain("RunRestored");
    expect(recordsIn(world).map(({ uid }) => uid)).toEqual(["uid-0", "restored"]);
  });
});

describe("an object that is restored, and whose release is recorded for its earlier uid until it is upgraded", () => {
  const machine = (currentStatus: string) =>
    cnrm("ComputeInstance", null, { status: { currentStatus, instanceId: "1" } });
  const BOOTING = cnrm("ComputeInstance", null, {
    status: {
      ...{ currentStatus: "PROVISIONING", instanceId: "1" },
      conditions: [{ type: "Ready", status: "False", reason: "Updating", message: "" }],
    },
  });

  /** A run whose object is restored after so many hours, by a new controller. */
  async function restored(
    hours: number,
    options: RunWithMachineOptions,
    live = machine("RUNNING"),
  ): Promise<RunWithMachine> {
    const run = new RunWithMachine({ ...options, revisions: [revisionOf("deployed", [live])] });
    run.live = [live];
    await run.lookFrom(0.02, hours);
    const labels = { [LABEL.releaseName]: "job-1" };
    run.object = { ...run.object, metadata: { ...run.object.metadata, uid: "restored", labels } };
    run.forget();
    run.context.runs.read = (uid) => Promise.resolve(run.record?.uid === uid ? run.record : null);
    run.context.runs.remove = () => Promise.resolve();
    run.context.records.find = (_namespace, uid) => Promise.resolve(uid === "u" ? "job-1" : null);
    return run;
  }

  it("is over if its machine ended meanwhile", async () => {
    const run = await restored(1, { spec: { provider: "gcp", duration: "6h", whenDone: "delete" } });
    run.live = [machine("TERMINATED")];
    run.now = START + 2 * HOUR;
    expect((await run.follow()).record).toMatchObject({ uid: "restored", formerUid: "u", end: { by: "provider" } });
  });

  it("is not without a machine if that still boots", async () => {
    const run = await restored(0.03, { spec: { provider: "gcp", duration: "6h", whenDone: "delete" } }, BOOTING);
    expect(run.record?.wasReady).toBe(false);
    run.now = START + 2 * HOUR;
    const { record } = await run.follow();
    expect(record).toMatchObject({ startedAt: START, bootSeconds: null });
    expect(record.refused).toBeUndefined();
  });

  it("is resumed after the planned pause in which it was restored", async () => {
    const spec = { provider: "gcp", duration: "4h", whenDone: "stop", interruptible: { minRun: "1h" } };
    const parts: [number, number][] = [
      [0, 1],
      [3, 6.2],
    ];
    const run = await restored(1.03, { spec, annotations: decisionOf(parts) });
    run.live = [machine("TERMINATED")];
    run.now = START + 2 * HOUR;
    expect((await run.follow()).step).toMatchObject({ do: "pause", pausedUntil: START + 3 * HOUR });
    const resumed = await run.look(3.01);
    expect([resumed.step.do, powerOf(resumed)]).toEqual(["run", { powerState: "on" }]);
    run.live = [machine("RUNNING")];
    await run.lookFrom(3.05, 3.2);
    expect(run.record).toMatchObject({ startedAt: START, wasReady: true, end: null });
  });

  it("is not taken from another object: of another name, namespace, kind or run, or another release", async () => {
    for (const [metadata, kind] of [
      [{ name: "other" }, "VmTemplate"],
      [{ namespace: "other" }, "VmTemplate"],
      [{ annotations: { [ANNOTATION.run]: "2" } }, "VmTemplate"],
      [{ labels: { [LABEL.releaseName]: "job-2" } }, "VmTemplate"],
      [{ labels: {} }, "VmTemplate"],
      [{}, "KaasCluster"],
    ] as const) {
      const run = await restored(1, { spec: { provider: "gcp", duration: "6h", whenDone: "delete" } });
      run.object = { ...run.object, kind, metadata: { ...run.object.metadata, ...metadata } };
      await expect(run.follow()).rejects.toThrow("no run is recorded");
      expect(run.record?.uid).toBe("u");
    }
  });
});
