import { describe, expect, it } from "vitest";
import { type ClusterEvent, createClusterData, workloadKey } from "../../../src/external-data/cluster-data.ts";
import { readWorkload, sizeOf, vmNameOf } from "../../../src/model/read-workload.ts";
import type { ExistingWorkload } from "../../../src/model/cluster-data.ts";

const NOW = 1_795_212_000;

const workload = (name: string, changes: Partial<ExistingWorkload> = {}): ExistingWorkload => ({
  ...{ kind: "VmTemplate", namespace: "demo", name, vmName: null, vcpus: 2, memoryGiB: 8, pricePerHour: 0.1 },
  ...{ place: "azure/italynorth", start: NOW, end: null },
  ...changes,
});

const key = (name: string, namespace = "demo"): string => workloadKey("VmTemplate", namespace, name);
const seen = (name: string, changes: Partial<ExistingWorkload> = {}): ClusterEvent => ({
  type: "workload",
  key: key(name, changes.namespace),
  workload: workload(name, changes),
});
const reserved = (name: string, until: number, changes: Partial<ExistingWorkload> = {}): ClusterEvent => ({
  type: "reservation",
  key: key(name, changes.namespace),
  workload: workload(name, changes),
  until,
});

function clusterDataWith(...events: ClusterEvent[]) {
  const known = createClusterData();
  for (const event of events) known.apply(event);
  return known;
}

const asking = (name: string, vmName: string | null = null) => ({ key: key(name), namespace: "demo", vmName });
const objects = (known: ReturnType<typeof clusterDataWith>, nowSeconds = NOW): number | undefined =>
  known.around(asking("new"), nowSeconds)?.usage.objects;

describe("the name of a machine", () => {
  it.each([
    ["its object's name", { name: "web" }, {}, "web"],
    ["a name of its own", { name: "web" }, { vmName: "db" }, "db"],
    ["as in the chart, without dots", { name: "web.front" }, {}, "web-front"],
    ["nothing yet, while it has no name", { generateName: "web-" }, {}, null],
  ])("%s", (_what, metadata, spec, name) => {
    expect(vmNameOf("VmTemplate", { apiVersion: "v1", kind: "VmTemplate", metadata, spec })).toBe(name);
  });
});

describe("the cluster's data", () => {
  it("is null before the cluster was read, unlike an empty cluster", () => {
    expect(clusterDataWith(seen("a")).around(asking("new"), NOW)).toBeNull();
    expect(clusterDataWith({ type: "seen", at: NOW }).around(asking("new"), NOW)).toEqual({
      usage: { objects: 0, vcpus: 0, memoryGiB: 0, pricePerMonth: 0 },
      vmName: null,
      sameVmName: [],
      asOf: NOW,
    });
  });

  it("counts an object with repeated events once, in its newest version", () => {
    const known = clusterDataWith(
      { type: "seen", at: NOW },
      seen("a", { vmName: "web" }),
      seen("a", { vmName: "web", vcpus: 16, pricePerHour: 0.9 }),
      seen("b", { vmName: "web" }),
    );
    expect(known.around(asking("new", "web"), NOW)).toMatchObject({
      usage: { objects: 2, vcpus: 18, memoryGiB: 16, pricePerMonth: 730 },
      sameVmName: [{ name: "a" }, { name: "b" }],
    });
    known.apply(seen("a", { vmName: "api" }));
    expect(known.around(asking("new", "web"), NOW)?.sameVmName.map(({ name }) => name)).toEqual(["b"]);
    expect(known.around(asking("new", "api"), NOW)?.sameVmName.map(({ name }) => name)).toEqual(["a"]);
    expect(
      known
        .workloads(NOW, "")
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["a", "b"]);
  });

  it("sums the namespace's other objects", () => {
    const known = clusterDataWith(
      { type: "seen", at: NOW },
      seen("a"),
      seen("b", { vcpus: 4, memoryGiB: 16, pricePerHour: null }),
      seen("own", { vcpus: 64 }),
      seen("c", { namespace: "other" }),
    );
    expect(known.around(asking("own"), NOW)?.usage).toEqual({
      objects: 2,
      vcpus: 6,
      memoryGiB: 24,
      pricePerMonth: 73,
    });
  });

  it("removes deleted objects, and uses the newest size of changed ones", () => {
    const known = clusterDataWith({ type: "seen", at: NOW }, seen("a"), seen("a", { vcpus: 16 }), seen("b"));
    known.apply({ type: "workload", key: key("b"), workload: null });
    expect(known.around(asking("new"), NOW)?.usage).toMatchObject({ objects: 1, vcpus: 16 });
  });

  it("counts an admitted object once until it is seen", () => {
    const known = clusterDataWith({ type: "seen", at: NOW }, reserved("a", NOW + 30));
    expect(objects(known)).toBe(1);
    known.apply(seen("a"));
    expect(objects(known)).toBe(1);
    expect(objects(known, NOW + 60)).toBe(1);
  });

  it("ends a reservation if its object never appears or was deleted", () => {
    const known = clusterDataWith({ type: "seen", at: NOW }, reserved("a", NOW + 30), reserved("b", NOW + 30));
    expect(objects(known, NOW + 29)).toBe(2);
    known.apply({ type: "workload", key: key("b"), workload: null });
    known.apply({ type: "seen", at: NOW + 29 });
    expect(objects(known, NOW + 30)).toBe(1);
    known.apply({ type: "seen", at: NOW + 30 });
    expect(objects(known, NOW + 30)).toBe(0);
  });

  it("returns to zero when everything is deleted, regardless of the sizes", () => {
    const sizes = [0.1, 0.2, 0.7, 1.1, 3.3];
    const names = sizes.map((size, index) => seen(`n${index}`, { memoryGiB: size, pricePerHour: size / 3 }));
    const known = clusterDataWith(
      { type: "seen", at: NOW },
      ...names,
      seen("a", { memoryGiB: 0.3, pricePerHour: 0.2 }),
    );
    for (const index of sizes.keys()) known.apply({ type: "workload", key: key(`n${index}`), workload: null });
    expect(known.around(asking("new"), NOW)?.usage).toEqual({
      ...{ objects: 1, vcpus: 2, memoryGiB: 0.3, pricePerMonth: 146 },
    });
  });

  it("follows a reservation with another size, and reverts if it expires unseen", () => {
    const known = clusterDataWith(
      { type: "seen", at: NOW },
      seen("a"),
      reserved("a", NOW + 30, { vcpus: 8, vmName: "big" }),
    );
    expect(known.around(asking("new", "big"), NOW + 29)).toMatchObject({
      usage: { vcpus: 8 },
      sameVmName: [{ name: "a" }],
    });
    known.apply({ type: "seen", at: NOW + 30 });
    expect(known.around(asking("new", "big"), NOW + 30)).toMatchObject({ usage: { vcpus: 2 }, sameVmName: [] });
    expect(known.around(asking("a"), NOW + 30)?.usage.objects).toBe(0);
  });

  it("counts the larger reservation until the change is seen", () => {
    const known = clusterDataWith({ type: "seen", at: NOW }, seen("a"), reserved("a", NOW + 30, { vcpus: 8 }));
    expect(known.around(asking("new"), NOW)?.usage).toMatchObject({ objects: 1, vcpus: 8 });
  });

  it("finds other machines with the same name in the whole cluster", () => {
    const known = clusterDataWith(
      { type: "seen", at: NOW },
      seen("a", { vmName: "db" }),
      seen("b", { vmName: "db", namespace: "other" }),
      seen("c", { vmName: "web" }),
      seen("own", { vmName: "db" }),
      seen("d", { vmName: "db" }),
      seen("d", { vmName: "renamed" }),
    );
    expect(known.around(asking("own", "db"), NOW)?.sameVmName).toEqual([
      { namespace: "demo", name: "a" },
      { namespace: "other", name: "b" },
    ]);
  });

  it("copies everything through a snapshot", () => {
    const annotations = { "landfall.dev/providers": "aws" };
    const known = clusterDataWith(
      { type: "seen", at: NOW },
      { type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations } },
      seen("a"),
      reserved("b", NOW + 30),
    );
    const other = clusterDataWith(...known.snapshot());
    expect(other.around(asking("new"), NOW)).toEqual(known.around(asking("new"), NOW));
    expect(other.namespace("demo").annotations).toEqual(annotations);
    expect(other.workloads(NOW, "").map(({ name }) => name)).toEqual(["a", "b"]);
    other.apply({ type: "seen", at: NOW + 30 });
    expect(objects(other, NOW + 30)).toBe(1);
  });
});

describe("an object as data of a decision", () => {
  const decision = {
    placement: { provider: "gcp", region: "europe-west6", pricePerHour: 0.2, start: "2026-11-20T22:00:00Z" },
  };
  const object = (annotation: string) => ({
    apiVersion: "composition.krateo.io/v0-1-0",
    kind: "VmTemplate",
    metadata: { name: "a", namespace: "demo", annotations: { "landfall.dev/decision": annotation } },
    spec: { cpu: 2, memory: 4, vmName: "db" },
  });

  it("takes the size from its spec, and place, price and start from its decision", () => {
    expect(readWorkload("VmTemplate", object(JSON.stringify(decision)))).toEqual({
      ...{ kind: "VmTemplate", namespace: "demo", name: "a", vmName: "db", vcpus: 2, memoryGiB: 4 },
      ...{ pricePerHour: 0.2, place: "gcp/europe-west6", start: NOW, end: null },
    });
  });

  it.each(["{", "[]", "null", '{"placement": 1}'])("without a decision that can be read (%s) has no place", (text) => {
    expect(readWorkload("VmTemplate", object(text))).toMatchObject({ place: null, pricePerHour: null, start: null });
  });

  it("counts a cluster's pools at their largest", () => {
    const nodePools = [
      { cpu: 4, memory: 16, count: 3 },
      { cpu: 8, memory: 32, min: 0, max: 5 },
      { cpu: 2, memory: 4 },
    ];
    expect(sizeOf("KaasCluster", { nodePools })).toEqual({ vcpus: 54, memoryGiB: 212 });
    expect(sizeOf("KaasCluster", {})).toEqual({ vcpus: 0, memoryGiB: 0 });
  });
});
