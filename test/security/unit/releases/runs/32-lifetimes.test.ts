import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { firstStart } from "../../../../../src/composition/run/follow/first-start.ts";
import { planOf } from "../../../../../src/composition/run/state/run-plan.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { ANNOTATION } from "../../../../../src/model/names.ts";
import type { RunRecord } from "../../../../../src/model/runs/run-record.ts";
import { context, create, patched, update, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { RunWorld } from "../../../../support/composition/run-world.ts";

const START = 1_800_000_000;
const policy = await loadPolicy();

it("32: other runs on the same machine move no maxLifetime", async () => {
  const calm = { random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 60 };
  const world = new RunWorld(calm);
  const spec = { duration: "30m", maxLifetime: "1h", whenDone: "keep" };
  const life = world.add({ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: {}, spec });
  for (let run = 2; run < 12; run += 1) {
    await world.run(1000);
    for (const annotations of [{ [ANNOTATION.completed]: "succeeded" }, { [ANNOTATION.run]: String(run) }]) {
      life.object = { ...life.object, metadata: { ...life.object.metadata, annotations } };
      world.touch(life);
      await world.run(10);
    }
  }
  expect(life.machines[0]?.deletedAt).toBeGreaterThanOrEqual(START + 3600);
  expect(life.machines[0]?.deletedAt).toBeLessThanOrEqual(START + 3630);
});

describe("32: the start from which a limit counts", () => {
  const record = (whenDone: string): RunRecord => ({
    ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "web", run: "", startedAt: 2000, firstStartedAt: 1000 },
    ...{
      end: null,
      removedAt: null,
      wasReady: true,
      machine: null,
      reported: null,
      pricePerHour: null,
      gramsCO2: null,
    },
    plan: planOf({ maxLifetime: "1h", whenDone }, 60),
  });
  const machine = (currentStatus: string): Resource => ({
    ...{ apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeInstance", metadata: {} },
    status: { currentStatus },
  });

  it("is that of the machine's first run, unless whenDone: stop has stopped it", () => {
    expect(firstStart(record("keep"), [machine("RUNNING")], 5000)).toBe(1000);
    expect(firstStart(record("keep"), [machine("TERMINATED")], 5000)).toBe(1000);
    expect(firstStart(record("stop"), [machine("RUNNING")], 5000)).toBe(1000);
    expect(firstStart(record("stop"), [], 5000)).toBe(1000);
    expect(firstStart(record("stop"), [machine("TERMINATED")], 5000)).toBe(5000);
  });
});

describe("32: an object that leaves its release behind", () => {
  const ORPHAN = { "krateo.io/deletion-policy": "orphan" };
  const SPEC = { cpu: 2, memory: 4, provider: "gcp" };

  it.each([{ maxLifetime: "1h" }, { duration: "1h", whenDone: "delete" }, { duration: "1h", whenDone: "stop" }])(
    "has no end: %o",
    (end) => {
      const asked = admit(create(vm({ ...SPEC, ...end }, { annotations: ORPHAN })), context(policy));
      expect(asked).toMatchObject({ allowed: false, codes: ["POL_RUN_RETAINS"] });
    },
  );

  it("is no reason to deny a run that is kept, and cannot be asked for later where there is an end", () => {
    const kept = vm({ ...SPEC, duration: "1h" }, { annotations: ORPHAN });
    expect(admit(create(kept), context(policy)).allowed).toBe(true);
    const object = vm({ ...SPEC, maxLifetime: "1h" });
    const stored = patched(object, admit(create(object), context(policy)));
    const { annotations } = stored.metadata;
    const next = { ...stored, metadata: { ...stored.metadata, annotations: { ...annotations, ...ORPHAN } } };
    expect(admit(update(stored, next), context(policy))).toMatchObject({ allowed: false, codes: ["POL_RUN_RETAINS"] });
  });
});
