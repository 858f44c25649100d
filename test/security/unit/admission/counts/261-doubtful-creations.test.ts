import { describe, expect, it } from "vitest";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import { openStore } from "../../../../support/admission-store.ts";
import { NOW, vm } from "../../../../support/admission.ts";
import { machine } from "../../../../support/ledger/entries.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const SMALL = { cpu: 1, memory: 1, provider: "gcp", schedulingLocation: "europe-west1" };
const KEY = "VmTemplate/demo/web";

describe("261: two creations of one name, of which the API server stores the small one", () => {
  it("hold the places of the large one five times in ten minutes", () => {
    const { mutate, create, remove, clock, clusterData } = openStore(policy);
    const admitted = Array.from({ length: 20 }, () => {
      const { response } = mutate(vm({ ...SMALL, cpu: 16, memory: 4 }, { name: "web" }));
      const { allowed, object } = create(vm(SMALL, { name: "web" }));
      if (allowed) remove(object);
      clock.nowSeconds += 11;
      clusterData.apply({ type: "seen", at: clock.nowSeconds });
      return response.allowed;
    });
    expect(admitted.filter(Boolean)).toHaveLength(5);
  });

  it.each([
    ["another replica", false],
    ["this replica, once", true],
  ])("count as not stored where the large one was admitted by %s", (_who, isOwn) => {
    const data = createClusterData();
    const reserved = { key: KEY, workload: machine("web", { vcpus: 16 }), creates: true };
    const stored = machine("web", { decisionId: "the other one's" });
    const times = (at: number): number => {
      data.apply({ type: "seen", at });
      return data.unstored.times("demo", at).length;
    };
    data.apply({ type: "seen", at: NOW });
    if (isOwn) data.apply({ type: "reservation", ...reserved, until: NOW + 5, by: "eve", id: "a" });
    data.apply({ type: "shared", id: "a", number: 1, reservation: { ...reserved, until: NOW + 20 } });
    data.apply({ type: "workload", key: KEY, workload: stored });
    data.apply({ type: "workload", key: KEY, workload: null });
    expect([times(NOW + 10), times(NOW + 21)]).toEqual([isOwn ? 1 : 0, 1]);
    expect(data.workloads(NOW + 21, "")).toEqual([]);
  });

  it("are forgotten where it was the large one, also when it is seen late", () => {
    const data = createClusterData();
    const reserved = { key: KEY, workload: machine("web", { vcpus: 16 }), creates: true };
    data.apply({ type: "reservation", ...reserved, until: NOW + 5, by: "ann" });
    data.apply({ type: "shared", id: "a", number: 1, reservation: { ...reserved, until: NOW + 20 } });
    expect(data.around({ key: "", namespace: "demo", vmName: null }, NOW + 6)).toBeNull();
    data.apply({ type: "workload", key: KEY, workload: { ...reserved.workload, vcpus: 8 } });
    data.apply({ type: "seen", at: NOW + 21 });
    expect(data.unstored.times("demo", NOW + 21)).toEqual([]);
  });
});

describe("271: creations that a later webhook holds up for longer than their reservations last", () => {
  it("were stored, as soon as their objects are seen", () => {
    const { mutate, see, clock, clusterData } = openStore(policy);
    const times = (): number => {
      clusterData.apply({ type: "seen", at: clock.nowSeconds });
      return clusterData.unstored.times("demo", clock.nowSeconds).length;
    };
    const late = ["a", "b", "c", "d"].map((name) => mutate(vm(SMALL, { name })).next);
    mutate(vm(SMALL, { name: "never" }));
    clock.nowSeconds += 7;
    expect(times()).toBe(5);
    for (const object of late) see(object);
    expect(times()).toBe(1);
    see({ ...late[0], metadata: { name: "never" } } as (typeof late)[0]);
    expect(times()).toBe(1);
  });
});
