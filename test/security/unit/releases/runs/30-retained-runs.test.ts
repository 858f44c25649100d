import { expect, it } from "vitest";
import { readRunRecord } from "../../../../../src/model/runs/run-record.ts";
import { type Life, RunWorld } from "../../../../support/composition/run-world.ts";

const calm = (): RunWorld =>
  new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 60 });

const add = (world: RunWorld, spec: Record<string, unknown>): Life =>
  world.add({ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: {}, spec });

/** The object after another spec was accepted. */
function change(world: RunWorld, life: Life, spec: Record<string, unknown>): void {
  life.object = { ...life.object, spec };
  world.touch(life);
}

const removedAt = (world: RunWorld): number | null | undefined => world.secrets().map(readRunRecord)[0]?.removedAt;

it("30: a retained machine whose run is to be deleted after all is deleted at the provider, and not only uninstalled", async () => {
  const world = calm();
  const life = add(world, { duration: "30m", deletionPolicy: "retain" });
  await world.run(3600);
  expect(life.machines[0]).toMatchObject({ retained: true, deletedAt: null });
  change(world, life, { duration: "30m", deletionPolicy: "delete", whenDone: "delete" });
  await world.run(300);
  expect(life.machines).toHaveLength(1);
  expect(life.machines[0]?.goneAt).not.toBeNull();
  expect(removedAt(world)).toBeGreaterThanOrEqual(life.machines[0]?.goneAt ?? Infinity);
});

it("30: a run does not count as gone while what is installed retains its machine", async () => {
  const world = calm();
  const life = add(world, { duration: "30m", deletionPolicy: "retain" });
  await world.run(3600);
  world.refuseUpgrades = true;
  change(world, life, { duration: "30m", deletionPolicy: "delete", whenDone: "delete" });
  await world.run(3600);
  expect(life.machines[0]?.goneAt).toBeNull();
  expect(removedAt(world)).toBeNull();
  world.refuseUpgrades = false;
  await world.run(300);
  expect(life.machines[0]?.goneAt).not.toBeNull();
});
