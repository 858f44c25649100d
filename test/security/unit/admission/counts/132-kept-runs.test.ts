import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../../src/admission/types.ts";
import type { DecisionOwners } from "../../../../../src/model/decision-annotation/standing.ts";
import type { Kind } from "../../../../../src/model/names.ts";
import type { PlacedWorkload } from "../../../../../src/model/places/load.ts";
import { HOUR_SECONDS } from "../../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { context, INSTALLED, NOW, patched, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { withBudgets } from "../../../../support/with-budgets.ts";

type Spec = Record<string, unknown>;

const policy = await loadPolicy();
const PLACE = { provider: "azure", schedulingLocation: "italynorth" };
const MACHINE = { cpu: 2, memory: 4, ...PLACE };
const POOL = { name: "a", count: 2, cpu: 2, memory: 4 };

interface World {
  budget?: number | null;
  hours?: number;
  owners?: DecisionOwners;
  placed?: PlacedWorkload[];
}

/** Others with 8 of the 10 vCPU of the place, between these hours from NOW on. */
const others = (from = 0, to: number | null = null): PlacedWorkload[] => [
  {
    ...{ place: "azure/italynorth", vcpus: 8, start: NOW + from * HOUR_SECONDS },
    end: to === null ? null : NOW + to * HOUR_SECONDS,
  },
];

function ask(kind: Kind, object: WorkloadObject, oldObject: WorkloadObject | null, world: World = {}): Outcome {
  const { budget = 10, hours = 0, owners = INSTALLED, placed = [] } = world;
  const bundle = budget === null ? policy : withBudgets(policy, { vcpus: budget });
  const operation = oldObject === null ? "CREATE" : "UPDATE";
  const given = { ...context(bundle, NOW + hours * HOUR_SECONDS, owners), placed: () => placed };
  return admit({ uid: "1", operation, kind, object, oldObject }, given);
}

/** An object that runs since NOW. */
function running(kind: Kind, spec: Spec, world: World = {}): WorkloadObject {
  const object = { ...vm(spec, { uid: "u-1" }), kind };
  return { ...patched(object, ask(kind, object, null, world)), status: { managed: [{}] } };
}

const change = (old: WorkloadObject, spec: Spec, world: World): Outcome =>
  ask(old.kind as Kind, { ...old, spec: { ...old.spec, ...spec } }, old, { placed: others(), ...world });
const codes = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);

describe("132: a run whose decided end has passed, and that nothing ended", () => {
  it.each(["keep", "delete"])("does not grow past the budget of its place: %s", (whenDone) => {
    const old = running("VmTemplate", { ...MACHINE, duration: "1h", whenDone });
    for (const hours of [0.5, 3]) {
      expect(codes(change(old, { cpu: 64, memory: 64 }, { hours }))).toEqual(["PLACEMENT_BUDGET"]);
      expect(codes(change(old, { cpu: 2, memory: 8 }, { hours, placed: others(-1, 900) }))).toEqual([]);
    }
    // Its new end has passed as well.
    expect(codes(change(old, { cpu: 64, memory: 64, duration: "15m" }, { hours: 0.5 }))).toEqual(["PLACEMENT_BUDGET"]);
  });

  it("does not get more nodes than its place has room for", () => {
    const old = running("KaasCluster", { nodePools: [POOL], ...PLACE, duration: "1h", whenDone: "keep" });
    expect(codes(change(old, { nodePools: [{ ...POOL, count: 600 }] }, { hours: 3 }))).toEqual(["PLACEMENT_BUDGET"]);
    expect(codes(change(old, { nodePools: [{ ...POOL, count: 1 }] }, { hours: 3 }))).toEqual([]);
  });

  it("keeps what runs if its object is restored from a backup, and gets no more", () => {
    const { status: _, ...old } = running(
      "VmTemplate",
      { ...MACHINE, cpu: 64, memory: 64, duration: "1h", whenDone: "keep" },
      { budget: null },
    );
    const { uid: _uid, ...metadata } = old.metadata;
    const restore = (vcpus: number): Outcome => {
      const runs = [{ place: "azure/italynorth", vcpus, memoryGiB: 64, pricePerHour: null }];
      const owners = { ...INSTALLED, runningOf: () => runs };
      return ask("VmTemplate", { ...old, metadata }, null, { hours: 3, owners });
    };
    expect(codes(restore(2))).toEqual(["PLACEMENT_BUDGET"]);
    expect(codes(restore(64))).toEqual([]);
  });
});

describe("132: a kept run before its decided end", () => {
  it("grows only if there is room after its end, too", () => {
    const placed = others(20, 40);
    const [kept, deleted] = ["keep", "delete"].map((whenDone) =>
      running("VmTemplate", { ...MACHINE, duration: "12h", whenDone }),
    ) as [WorkloadObject, WorkloadObject];
    expect(codes(change(kept, { cpu: 4, memory: 8 }, { hours: 0.5, placed }))).toEqual(["PLACEMENT_BUDGET"]);
    expect(codes(change(deleted, { cpu: 4, memory: 8 }, { hours: 0.5, placed }))).toEqual([]);
    expect(codes(change(kept, { optimizeFor: "cost" }, { hours: 0.5, placed }))).toEqual([]);
  });
});
