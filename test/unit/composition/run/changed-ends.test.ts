// Changes of an object whose run is over.
import { describe, expect, it } from "vitest";
import { conditionsOf } from "../../../../src/model/kubernetes.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { readRunRecord } from "../../../../src/model/runs/run-record.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { type Life, RunWorld } from "../../../support/composition/run-world.ts";

const HOUR = 3600;
const GRACE = 900;

/** A world with one run, and how its user changes it. */
function world(spec: Record<string, unknown>, deletionSeconds = 20) {
  const options = { random: () => 0.5, dies: () => false, graceSeconds: GRACE };
  const runs = new RunWorld({ ...options, deletionSeconds: () => deletionSeconds });
  const object: Resource = { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec, metadata: {} };
  const life: Life = runs.add(object);
  const change = (more: { spec?: object; annotations?: Record<string, string> }): void => {
    const { metadata } = life.object;
    life.object = {
      ...life.object,
      spec: { ...life.object.spec, ...more.spec },
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...more.annotations } },
    };
    runs.touch(life);
  };
  const record = () => runs.secrets().flatMap((secret) => readRunRecord(secret) ?? [])[0];
  const overdue = () => conditionsOf(life.object).find(({ type }) => type === "Overdue");
  return { runs, life, change, record, overdue, machine: () => life.machines[0] };
}

describe("whenDone: delete after the end", () => {
  it("has the whole grace again when it is written a second time", async () => {
    const { runs, change, machine, record } = world({ duration: "1h", whenDone: "keep" });
    await runs.run(HOUR / 2);
    change({ annotations: { [ANNOTATION.completed]: "failed" } });
    await runs.run(2 * HOUR);
    change({ spec: { whenDone: "delete" } });
    await runs.run(GRACE / 3);
    change({ spec: { whenDone: "keep" } });
    await runs.run(HOUR);
    expect(record()).not.toHaveProperty("graceFrom");
    const from = runs.now;
    change({ spec: { whenDone: "delete" } });
    await runs.run(GRACE - 10);
    expect(machine()?.deletedAt).toBeNull();
    await runs.run(60);
    expect((machine()?.deletedAt ?? 0) - from).toBeGreaterThanOrEqual(GRACE);
  });

  it("keeps its grace while other changes are made", async () => {
    const { runs, change, machine } = world({ duration: "1h", whenDone: "keep" });
    await runs.run(3 * HOUR);
    change({ spec: { whenDone: "delete" } });
    const from = runs.now;
    await runs.run(GRACE / 3);
    change({ spec: { duration: "90m" } });
    await runs.run(GRACE);
    expect(machine()?.deletedAt).toBeLessThan(from + GRACE + 10);
  });
});

describe("a deletion that has begun", () => {
  it.each<[string, { spec: object; change: object; hours: number }]>([
    [
      "whenDone: keep",
      { spec: { duration: "2h", whenDone: "delete" }, change: { spec: { whenDone: "keep" } }, hours: 2.25 },
    ],
    [
      "whenDone: stop",
      { spec: { duration: "2h", whenDone: "delete" }, change: { spec: { whenDone: "stop" } }, hours: 2.25 },
    ],
    [
      "deletionPolicy: retain",
      { spec: { duration: "2h", whenDone: "delete" }, change: { spec: { deletionPolicy: "retain" } }, hours: 2.25 },
    ],
    [
      "a higher limit",
      { spec: { duration: "2h", maxLifetime: "3h" }, change: { spec: { maxLifetime: "50h" } }, hours: 3 },
    ],
    [
      "another run",
      { spec: { duration: "2h", maxLifetime: "3h" }, change: { annotations: { [ANNOTATION.run]: "2" } }, hours: 3 },
    ],
  ])("goes on to its end, whatever is changed: %s", async (_what, given) => {
    const { runs, life, change, machine, record, overdue } = world({ ...given.spec }, HOUR);
    await runs.run(given.hours * HOUR + 120);
    expect([machine()?.deletedAt === null, record()?.removedAt]).toEqual([false, null]);
    change(given.change);
    await runs.run(0.9 * HOUR);
    expect([record()?.run, record()?.removedAt, overdue()?.status]).toEqual(["", null, "False"]);
    await runs.run(0.2 * HOUR);
    expect(life.events.map(({ reason }) => reason)).toContain("DeletedAfterEnd");
  });
});
