import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/composition/types.ts";
import { conditionsOf } from "../../../../src/model/kubernetes.ts";
import { type Life, RunWorld } from "../../../support/composition/run-world.ts";

const START = 1_800_000_000;
const HOUR = 3600;
const vm = (spec: Record<string, unknown>): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { uid: "u" } },
  spec: { duration: "1h", whenDone: "delete", ...spec },
});

function soldOut(
  spec: Record<string, unknown> = {},
  dies: () => boolean = () => false,
): { world: RunWorld; life: Life } {
  const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies, graceSeconds: 60 });
  const life = world.add(vm(spec));
  life.soldOut = true;
  return { world, life };
}

async function watch(world: RunWorld, life: Life, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 10) {
    world.touch(life);
    await world.run(10);
  }
}

const reasons = ({ events }: Life): string[] => events.map(({ reason }) => reason);
const runOf = ({ object }: Life): Record<string, unknown> => object.status?.["run"] as Record<string, unknown>;
const endOf = (life: Life): number => Date.parse(String(runOf(life)["ended"])) / 1000 - START;

describe("a run whose provider has no machine when it starts", () => {
  it("works its whole duration from when it has one", async () => {
    const { world, life } = soldOut();
    await watch(world, life, 0.75 * HOUR);
    life.soldOut = false;
    await watch(world, life, 0.75 * HOUR);
    expect(reasons(life)).toEqual([]);
    await watch(world, life, 0.5 * HOUR);
    expect(reasons(life)).toEqual(["Completed", "DeletedAfterEnd"]);
    expect(endOf(life)).toBeGreaterThanOrEqual(1.75 * HOUR);
    expect(endOf(life)).toBeLessThan(1.75 * HOUR + 60);
    expect(Number(runOf(life)["hours"])).toBe(1);
  });

  it("has failed and cost nothing if there is none for its duration", async () => {
    const { world, life } = soldOut();
    await watch(world, life, 1.1 * HOUR);
    expect(reasons(life)).toEqual(["Failed", "DeletedAfterEnd"]);
    expect(runOf(life)).toMatchObject({ by: "time", outcome: "failed", hours: "0.00" });
    const failed = conditionsOf(life.object).find(({ type }) => type === "Failed");
    expect(failed).toMatchObject({ status: "True", reason: "NoMachine" });
    expect(failed?.message).toMatch(/^its provider had no machine for it until .*: 0\.00 h/);
  });

  it("is not overdue meanwhile if it is to be kept, and gets a machine later", async () => {
    const { world, life } = soldOut({ whenDone: "keep" });
    await watch(world, life, 1.5 * HOUR);
    expect(reasons(life)).toEqual([]);
    const [uid = ""] = [life.object.metadata.uid];
    expect(world.stepOf(uid)).toMatchObject({ do: "run", overdueSince: null });
    life.soldOut = false;
    await watch(world, life, 1.5 * HOUR);
    expect(world.stepOf(uid)).toMatchObject({
      do: "run",
      endsAt: START + 2.5 * HOUR,
      overdueSince: START + 2.5 * HOUR,
    });
  });

  it("keeps the limit of its start", async () => {
    const { world, life } = soldOut({ maxLifetime: "90m" });
    await watch(world, life, 0.75 * HOUR);
    life.soldOut = false;
    await watch(world, life, HOUR);
    expect(runOf(life)).toMatchObject({ by: "limit", outcome: "unknown" });
    expect(endOf(life)).toBe(1.5 * HOUR);
  });

  it("begins once, however often the controller dies", async () => {
    let calls = 0;
    const { world, life } = soldOut({}, () => ++calls % 23 === 0);
    await watch(world, life, 0.5 * HOUR);
    life.soldOut = false;
    await watch(world, life, 1.25 * HOUR);
    expect(runOf(life)).toMatchObject({ by: "time", outcome: "unknown" });
    expect(endOf(life)).toBeGreaterThanOrEqual(1.5 * HOUR);
    expect(endOf(life)).toBeLessThan(1.5 * HOUR + 120);
  });
});
