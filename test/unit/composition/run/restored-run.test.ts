// Objects that are restored have new uids and no status (docs/operations/lifecycle.md). The records of their runs say what is over.
import { describe, expect, it } from "vitest";
import { LABEL } from "../../../../src/composition/keys.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { conditionsOf } from "../../../../src/model/kubernetes.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { readRunRecord, type RunRecord } from "../../../../src/model/runs/run-record.ts";
import { type Life, RunWorld } from "../../../support/composition/run-world.ts";

const HOUR = 3600;

async function over(whenDone: string): Promise<{ world: RunWorld; life: Life }> {
  const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 60 });
  const life = world.add({
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: {} },
    spec: { duration: "1h", whenDone, ...(whenDone === "keep" ? { maxLifetime: "2h" } : {}) },
  });
  await world.run(2.5 * HOUR);
  return { world, life };
}

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
