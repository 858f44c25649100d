import { describe, expect, it } from "vitest";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { openStore, type Stored } from "../../../../support/admission-store.ts";
import { vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const MACHINE = { cpu: 2, memory: 4 };

/** A webhook whose API server refuses what both webhooks accepted, for instance by a ResourceQuota. */
function refusing() {
  const store = openStore(policy);
  const create = (name: string): Stored => store.create(vm(MACHINE, { name }), { seen: false });
  const see = (): void => {
    store.clusterData.apply({ type: "seen", at: store.clock.nowSeconds });
  };
  /** As many creations as given, each after the one before was given up; how many were admitted. */
  const repeat = (times: number): number =>
    Array.from({ length: times }, (_, index) => {
      const { allowed } = create(`a${String(index)}`);
      store.clock.nowSeconds += 11;
      see();
      return allowed;
    }).filter(Boolean).length;
  return { ...store, create, see, store: store.see, repeat };
}

describe("96: objects that the API server refuses after both webhooks", () => {
  it("take places five times in ten minutes, and not without end", () => {
    const { create, repeat, clock, see } = refusing();
    expect(repeat(20)).toBe(5);
    expect(create("b").message).toMatch(/ADM_UNSTORED|did not store 5 objects of namespace demo/);
    clock.nowSeconds += 600;
    see();
    expect(create("b").allowed).toBe(true);
  });

  it("hold up no change that takes no place, and no other namespace", () => {
    const { create, repeat, update, see, mutate, clusterData } = refusing();
    const known = create("known").object;
    see();
    clusterData.apply({ type: "workload", key: "VmTemplate/demo/known", workload: null });
    repeat(6);
    const labelled: WorkloadObject = { ...known, metadata: { ...known.metadata, labels: { team: "a" } } };
    expect(update(known, labelled).allowed).toBe(true);
    clusterData.apply({
      type: "namespace",
      name: "other",
      data: { name: "other", labels: {}, annotations: {} },
    });
    expect(mutate(vm(MACHINE, { name: "b", namespace: "other" })).response.allowed).toBe(true);
  });

  it("count nothing that was asked for while the storage of the API server did not answer", () => {
    const { create, clock, clusterData, repeat } = refusing();
    expect(Array.from({ length: 5 }, (_, index) => create(`c${String(index)}`).allowed)).not.toContain(false);
    clock.nowSeconds += 4;
    clusterData.apply({ type: "seen", at: clock.nowSeconds, wasAway: true });
    clock.nowSeconds += 30;
    clusterData.apply({ type: "seen", at: clock.nowSeconds });
    expect(clusterData.unstored.times("demo", clock.nowSeconds)).toEqual([]);
    expect(repeat(20)).toBe(5);
  });

  it("can be asked for in a dry run", () => {
    const { repeat, mutate } = refusing();
    repeat(6);
    expect(mutate(vm(MACHINE, { name: "b" }), { dryRun: true }).response.allowed).toBe(true);
  });

  it("leave few that were not seen yet once one was refused", () => {
    const { create, repeat } = refusing();
    repeat(1);
    const admitted = Array.from({ length: 20 }, (_, index) => create(`b${String(index)}`).allowed);
    expect(admitted.filter(Boolean)).toHaveLength(4);
  });

  it("are not those that are seen late, or while the cluster is not watched", () => {
    const { create, see, store, clock, repeat } = refusing();
    const all = Array.from({ length: 10 }, (_, index) => create(`c${String(index)}`).object);
    clock.nowSeconds += 100;
    for (const object of all) store(object);
    see();
    expect(repeat(20)).toBe(5);
  });

  it("are remembered by the next process", () => {
    const { repeat, clusterData, clock } = refusing();
    repeat(5);
    const next = createClusterData();
    for (const event of clusterData.snapshot()) next.apply(event);
    expect(next.unstored.times("demo", clock.nowSeconds)).toHaveLength(5);
  });

  it("are forgotten by the process that decides nothing", () => {
    const { create, clusterData, clock } = refusing();
    create("a");
    const idle = createClusterData();
    for (const event of clusterData.snapshot()) idle.apply(event);
    idle.apply({ type: "seen", at: clock.nowSeconds + 60 });
    expect(idle.snapshot().filter(({ type }) => type === "reservation")).toEqual([]);
  });
});
