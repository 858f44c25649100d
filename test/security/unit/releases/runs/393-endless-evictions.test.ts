// No operator reports why a machine ended: one that ends by itself counts as evicted, and its run starts again.
import { expect, it } from "vitest";
import { formatTime } from "../../../../../src/model/time.ts";
import { type Life, RunWorld } from "../../../../support/composition/run-world.ts";

const START = 1_800_000_000;
const HOUR = 3600;

/** A run on a spot machine that ends by itself every 20 minutes, watched for so many hours. */
async function shutDown(spec: Record<string, unknown>, hours: number): Promise<{ world: RunWorld; life: Life }> {
  const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 900 });
  const life = world.add({
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { uid: "u" } },
    spec: { duration: "1h", capacity: "spot", capacityType: "spot", whenDone: "delete", ...spec },
  });
  life.spot = { capacity: true };
  for (let step = 0; step < 3 * hours; step += 1) {
    for (let seconds = 0; seconds < HOUR / 3; seconds += 60) {
      world.touch(life);
      await world.run(60);
    }
    const machine = life.machines.at(-1);
    if (machine !== undefined) machine.state = "TERMINATED";
    world.touch(life);
  }
  return { world, life };
}

const runOf = ({ object }: Life): unknown => object.status?.["run"];
const countOf = ({ events }: Life, reason: string): number => events.filter((one) => one.reason === reason).length;

it("393: a run without a limit ends after 24 evictions, and its machine goes", async () => {
  const { life } = await shutDown({}, 10);
  expect(runOf(life)).toMatchObject({ by: "eviction", outcome: "failed", evictions: 25 });
  expect(countOf(life, "Failed")).toBe(1);
  expect(life.machines.every(({ deletedAt }) => deletedAt !== null)).toBe(true);
});

it("393: one with a deadline has this alone as its limit", async () => {
  const { life } = await shutDown({ deadline: formatTime(START + 24 * HOUR) }, 10);
  expect(countOf(life, "Evicted")).toBeGreaterThan(24);
  expect(countOf(life, "Failed")).toBe(0);
});
