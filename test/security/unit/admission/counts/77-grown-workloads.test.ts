import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../../src/admission/types.ts";
import type { DecisionOwners } from "../../../../../src/model/decision-annotation/standing.ts";
import { ANNOTATION, type Kind } from "../../../../../src/model/names.ts";
import type { BudgetSettings, PlacedWorkload } from "../../../../../src/model/places/load.ts";
import { HOUR_SECONDS } from "../../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { context, INSTALLED, NOW, patched, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { withBudgets } from "../../../../support/with-budgets.ts";

type Spec = Record<string, unknown>;

const policy = await loadPolicy();
const PLACE = "azure/italynorth";
const [provider, schedulingLocation] = PLACE.split("/");
const STATUS = { managed: [{ apiVersion: "v1", resource: "secrets", name: "web", namespace: "demo" }] };
const MACHINE = { cpu: 2, memory: 4, provider, schedulingLocation };
const POOL = { name: "a", count: 2, cpu: 2, memory: 4 };
const CLUSTER = { nodePools: [POOL], provider, schedulingLocation };

interface World {
  budgets?: Partial<BudgetSettings>;
  placed?: PlacedWorkload[];
  hours?: number;
}

function ask(kind: Kind, object: WorkloadObject, oldObject: WorkloadObject | null, world: World = {}): Outcome {
  const { budgets = { vcpus: 10 }, placed = [], hours = 0 } = world;
  const given = context(withBudgets(policy, budgets), NOW + hours * HOUR_SECONDS);
  const operation = oldObject === null ? "CREATE" : "UPDATE";
  return admit({ uid: "1", operation, kind, object, oldObject }, { ...given, placed: () => placed });
}

/** An object that runs since NOW. */
function running(kind: Kind, spec: Spec, world: World = {}): WorkloadObject {
  const object = { ...vm(spec, { uid: "u-1" }), kind };
  return { ...patched(object, ask(kind, object, null, world)), status: STATUS };
}

function change(old: WorkloadObject, spec: Spec, world: World = {}): Outcome {
  const changed = { ...old.spec, ...spec };
  for (const field of Object.keys(spec)) if (spec[field] === undefined) Reflect.deleteProperty(changed, field);
  return ask(old.kind as Kind, { ...old, spec: changed }, old, { hours: 0.5, ...world });
}

const codes = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);
const message = (outcome: Outcome): string => (outcome.allowed ? "" : outcome.message);
const others = (vcpus: number, from: number | null = null, to: number | null = null): PlacedWorkload[] => [
  {
    ...{ place: PLACE, vcpus },
    start: from === null ? null : NOW + from * HOUR_SECONDS,
    end: to === null ? null : NOW + to * HOUR_SECONDS,
  },
];

describe("77: a machine in a place with a budget of 10 vCPU", () => {
  const machine = (more: Spec = {}, world: World = {}): WorkloadObject =>
    running("VmTemplate", { ...MACHINE, ...more }, world);

  it("does not grow past the budget, and learns what fits", () => {
    const outcome = change(machine(), { cpu: 64, memory: 64 });
    expect(codes(outcome)).toEqual(["PLACEMENT_BUDGET"]);
    expect(message(outcome)).toMatch(/in azure\/italynorth\n {2}passes with: cpu ≤ 8/);
    expect(codes(change(machine(), { cpu: 8 }))).toEqual([]);
  });

  it("does not grow where others leave no room", () => {
    expect(codes(change(machine(), { cpu: 4 }, { placed: others(8) }))).toEqual(["PLACEMENT_BUDGET"]);
    expect(codes(change(machine(), { cpu: 4 }, { placed: others(6) }))).toEqual([]);
  });

  it("keeps running, also in a place that is over its budget", () => {
    const world = { placed: others(100) };
    expect(codes(change(machine(), { optimizeFor: "cost" }, world))).toEqual([]);
    const large = machine({ cpu: 64, memory: 64 }, { budgets: {} });
    expect(codes(change(large, { optimizeFor: "cost" }, world))).toEqual([]);
    expect(codes(change(large, { cpu: 32, memory: 32 }, world))).toEqual([]);
    expect(codes(change(large, { cpu: 65, memory: 64 }, world))).toEqual(["PLACEMENT_BUDGET"]);
  });

  it("does not run longer into hours that others fill, and learns how long it may", () => {
    const world = { placed: others(9, 6, 100) };
    const old = machine({ duration: "1h" }, world);
    const outcome = change(old, { duration: "720h" }, world);
    expect(codes(outcome)).toEqual(["PLACEMENT_BUDGET"]);
    expect(message(outcome)).toContain("passes with: duration ≤ 6h");
    expect(codes(change(old, { duration: "6h" }, world))).toEqual([]);
    expect(codes(change(old, { duration: undefined }, world))).toEqual(["PLACEMENT_BUDGET"]);
  });

  it("is not denied for hours that have passed, and is denied for those to come, however long it runs", () => {
    const month = { hours: 720 };
    const filled = { placed: others(9, 100, 200) };
    expect(codes(change(machine(), { cpu: 4 }, { ...month, ...filled }))).toEqual([]);
    expect(codes(change(machine(), { cpu: 4 }, { ...month, placed: others(9, 730) }))).toEqual(["PLACEMENT_BUDGET"]);
  });

  it("may do without a duration that has passed: it runs on anyway", () => {
    const old = machine({ duration: "1h" });
    expect(codes(change(old, { duration: undefined }, { hours: 3, placed: others(9) }))).toEqual([]);
  });

  it("does not grow while its user pauses it", () => {
    const old = machine();
    const annotations = { ...old.metadata.annotations, [ANNOTATION.paused]: "true" };
    const paused = { ...old, metadata: { ...old.metadata, annotations } };
    expect(codes(change(paused, { cpu: 64, memory: 64 }))).toEqual(["PLACEMENT_BUDGET"]);
  });

  it("grows as before without a budget", () => {
    expect(codes(change(machine(), { cpu: 64, memory: 64 }, { budgets: {} }))).toEqual([]);
  });

  it("counts in the share of its place", () => {
    const budgets = { maxRegionShare: 0.5, shareFloorVcpus: 4 };
    const elsewhere = [{ place: "azure/swedencentral", vcpus: 20, start: null, end: null }];
    expect(codes(change(machine(), { cpu: 16, memory: 16 }, { budgets, placed: elsewhere }))).toEqual([]);
    expect(codes(change(machine(), { cpu: 32, memory: 32 }, { budgets, placed: elsewhere }))).toEqual([
      "PLACEMENT_BUDGET",
    ]);
  });
});

describe("77: a cluster in a place with a budget of 10 vCPU", () => {
  const cluster = (more: Spec = {}): WorkloadObject => running("KaasCluster", { ...CLUSTER, ...more });
  const free = { poolInstanceTypes: undefined };

  it("does not scale past the budget, by nodes, by the limit of its nodes or by another pool", () => {
    const old = cluster();
    const outcome = change(old, { nodePools: [{ ...POOL, count: 6 }] });
    expect(codes(outcome)).toEqual(["PLACEMENT_BUDGET"]);
    expect(message(outcome)).toContain("passes with: count of pool a ≤ 5");
    expect(codes(change(old, { nodePools: [{ ...POOL, count: 5 }] }))).toEqual([]);
    const scaling = { name: "a", cpu: 2, memory: 4, min: 1, max: 6 };
    expect(codes(change(old, { nodePools: [scaling] }))).toEqual(["PLACEMENT_BUDGET"]);
    const more = [POOL, { ...POOL, name: "b", count: 4 }];
    expect(codes(change(old, { nodePools: more, ...free }))).toEqual(["PLACEMENT_BUDGET"]);
  });

  it("keeps its nodes where the place is over its budget", () => {
    const world = { placed: others(100) };
    expect(codes(change(cluster(), { nodePools: [{ ...POOL, count: 1 }] }, world))).toEqual([]);
    expect(codes(change(cluster(), { nodePools: [{ ...POOL, count: 3 }] }, world))).toEqual(["PLACEMENT_BUDGET"]);
  });
});

describe("77: a machine that its user paused before its start", () => {
  const spec = { ...MACHINE, cpu: 4, duration: "1h" };
  const paused = (): WorkloadObject => {
    const object = vm(spec, { uid: "u-1", annotations: { [ANNOTATION.paused]: "true" } });
    return patched(object, ask("VmTemplate", object, null));
  };
  const resume = (world: World, old = paused()): Outcome => {
    const { [ANNOTATION.paused]: _, ...annotations } = old.metadata.annotations ?? {};
    return ask("VmTemplate", { ...old, metadata: { ...old.metadata, annotations } }, old, world);
  };

  it("does not start in hours that others fill meanwhile", () => {
    const outcome = resume({ hours: 5, placed: others(9) });
    expect(codes(outcome)).toEqual(["PLACEMENT_BUDGET"]);
    expect(message(outcome)).toContain("in azure/italynorth");
    expect(codes(resume({ hours: 0.2, placed: others(9) }))).toEqual([]);
  });

  it("starts where there is room if it may", () => {
    const object = vm(
      { cpu: 4, memory: 4, provider, duration: "1h" },
      { uid: "u-1", annotations: { [ANNOTATION.paused]: "true" } },
    );
    const old = patched(object, ask("VmTemplate", object, null));
    const place = `azure/${String(old.spec?.["schedulingLocation"])}`;
    const outcome = resume({ hours: 5, placed: [{ place, vcpus: 9, start: null, end: null }] }, old);
    expect(codes(outcome)).toEqual([]);
    expect(`azure/${outcome.decision?.placement?.region ?? ""}`).not.toBe(place);
    expect(outcome.decision?.placement?.start).toBe("2026-11-21T03:00:00Z");
  });

  it("counts in the hours in which it starts", () => {
    const outcome = resume({ hours: 5, placed: others(2) });
    expect(outcome.decision?.placement).toMatchObject({ start: "2026-11-21T03:00:00Z", end: "2026-11-21T04:00:00Z" });
    const stored = patched(paused(), outcome);
    expect(stored.spec).toMatchObject({ schedulingTime: "2026-11-21T03:00:00Z" });
  });

  it("starts as it was decided without a budget", () => {
    expect(resume({ hours: 5, budgets: {} })).toMatchObject({ allowed: true, patch: [], decision: null });
  });
});

describe("77: a machine restored from a backup that gives it more than what runs", () => {
  const large = { ...MACHINE, cpu: 64, memory: 64 };
  const runs = (vcpus: number): DecisionOwners => ({
    ...INSTALLED,
    runningOf: () => [{ place: PLACE, vcpus, memoryGiB: 64, pricePerHour: null }],
  });
  const restore = (owners: DecisionOwners): Outcome => {
    const { status: _, ...old } = running("VmTemplate", large, { budgets: {} });
    const { uid: _uid, ...metadata } = old.metadata;
    const given = { ...context(withBudgets(policy, { vcpus: 10 }), NOW + 60, owners), placed: () => [] };
    return admit(
      { uid: "2", operation: "CREATE", kind: "VmTemplate", object: { ...old, metadata }, oldObject: null },
      given,
    );
  };

  it("is denied past the budget, and keeps what runs", () => {
    expect(codes(restore(runs(2)))).toEqual(["PLACEMENT_BUDGET"]);
    expect(codes(restore(runs(64)))).toEqual([]);
  });
});
