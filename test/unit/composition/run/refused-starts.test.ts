import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/composition/types.ts";
import { conditionsOf } from "../../../../src/model/kubernetes.ts";
import { readRunRecord } from "../../../../src/model/runs/run-record.ts";
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

/** Expects that a run of an hour gets its machine after 45 minutes, by `begins`, and works an hour from then on. */
async function worksFrom(world: RunWorld, life: Life, begins: () => void): Promise<void> {
  await watch(world, life, 0.75 * HOUR);
  begins();
  await watch(world, life, 0.75 * HOUR);
  expect(reasons(life)).toEqual([]);
  await watch(world, life, 0.5 * HOUR);
  expect(reasons(life)).toEqual(["Completed", "DeletedAfterEnd"]);
  expect(endOf(life)).toBeGreaterThanOrEqual(1.75 * HOUR);
  expect(endOf(life)).toBeLessThan(1.75 * HOUR + 60);
  expect(runOf(life)).toMatchObject({ outcome: "unknown", hours: "1.00" });
}

describe("a run whose provider has no machine when it starts", () => {
  it("works its whole duration from when it has one", async () => {
    const { world, life } = soldOut();
    await worksFrom(world, life, () => {
      life.soldOut = false;
    });
  });

  it("has failed and cost nothing if there is none for its duration", async () => {
    const { world, life } = soldOut();
    await watch(world, life, 1.1 * HOUR);
    expect(reasons(life)).toEqual(["Failed", "DeletedAfterEnd"]);
    expect(runOf(life)).toMatchObject({ by: "time", outcome: "failed", hours: "0.00" });
    const failed = conditionsOf(life.object).find(({ type }) => type === "Failed");
    expect(failed).toMatchObject({ status: "True", reason: "NoMachine" });
    expect(failed?.message).toMatch(/^it had no machine until .*: 0\.00 h/);
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
    expect(runOf(life)).toMatchObject({ by: "limit", outcome: "failed" });
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

describe("a run for which nothing can be installed when it starts", () => {
  const uninstalled = (kind: string, spec: Record<string, unknown> = {}): { world: RunWorld; life: Life } => {
    const world = new RunWorld({ random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 60 });
    const life = world.add({ ...vm(spec), kind });
    world.refuseUpgrades = true;
    return { world, life };
  };

  it.each(["VmTemplate", "KaasCluster"])("works its whole duration from when it is installed: %s", async (kind) => {
    const { world, life } = uninstalled(kind);
    await worksFrom(world, life, () => {
      world.refuseUpgrades = false;
    });
  });

  it("is none without a machine in its first minute, if only a limit ends it", async () => {
    const { world, life } = uninstalled("VmTemplate", { duration: undefined, maxLifetime: "6h" });
    await watch(world, life, 30);
    const [record] = world.secrets().map(readRunRecord);
    expect(record).not.toHaveProperty("refused");
    await watch(world, life, 60);
    expect(world.secrets().map(readRunRecord)).toMatchObject([{ refused: true }]);
  });

  it.each([{ duration: "1h" }, { duration: "30s" }])("has failed and cost nothing if it never is: %o", async (spec) => {
    const { world, life } = uninstalled("VmTemplate", spec);
    await watch(world, life, 1.1 * HOUR);
    expect(reasons(life)).toEqual(["Failed", "DeletedAfterEnd"]);
    expect(runOf(life)).toMatchObject({ by: "time", outcome: "failed", hours: "0.00" });
    const failed = conditionsOf(life.object).find(({ type }) => type === "Failed");
    expect(failed).toMatchObject({ status: "True", reason: "NoMachine" });
  });

  it("has failed if no controller was there from its start to its end", async () => {
    let isAway = false;
    let calls = 0;
    const { world, life } = soldOut({}, () => isAway && ++calls > 0);
    life.soldOut = false;
    world.refuseUpgrades = true;
    await watch(world, life, 20);
    expect(world.secrets()).toHaveLength(1);
    isAway = true;
    world.refuseUpgrades = false;
    await watch(world, life, 1.1 * HOUR);
    expect(calls).toBeGreaterThan(100);
    isAway = false;
    await watch(world, life, 300);
    expect(life.machines).toEqual([]);
    expect(runOf(life)).toMatchObject({ by: "time", outcome: "failed", hours: "0.00" });
  });

  it("keeps its start if it takes no longer than usual", async () => {
    const { world, life } = uninstalled("VmTemplate");
    await watch(world, life, 30);
    world.refuseUpgrades = false;
    await watch(world, life, 1.1 * HOUR);
    expect(endOf(life)).toBe(HOUR);
  });
});
