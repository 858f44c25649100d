import { describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import { openRetentions } from "../../../../../src/composition/record/open-retentions.ts";
import {
  type ClusterData,
  createClusterData,
  retainedEvent,
  workloadKey,
} from "../../../../../src/external-data/cluster-data.ts";
import type { ExistingWorkload } from "../../../../../src/model/cluster-data.ts";
import {
  isAdoptable,
  readRetained,
  type Retained,
  retainedMetadata,
  retainedName,
} from "../../../../../src/model/runs/retained.ts";

const NOW = 1_795_212_000;

const workload = (name: string, place = "gcp/europe-west1"): ExistingWorkload => ({
  ...{ kind: "VmTemplate", namespace: "demo", name, vmName: null, vcpus: 4, memoryGiB: 16 },
  ...{ pricePerHour: 0.5, place, start: NOW, end: null },
});

const retained = (name: string, changes: Partial<Retained> = {}): Retained => ({
  ...{ workload: workload(name), uid: `uid-${name}`, release: `${name}-12345678`, why: "orphan" },
  ...{ at: "2026-11-20T22:00:00Z", acknowledged: null },
  ...changes,
});

const usageOf = (data: ClusterData, name = "new", release?: string) =>
  data.around({ key: workloadKey("VmTemplate", "demo", name), namespace: "demo", vmName: null, release }, NOW)?.usage;

function clusterWith(...all: Retained[]): ClusterData {
  const data = createClusterData();
  for (const one of all) data.apply(retainedEvent(one));
  data.apply({ type: "seen", at: NOW });
  return data;
}

const acknowledged = { by: "platform", reason: "moved to the data team", at: "2026-11-21T00:00:00Z" };

describe("13: what a deleted object left running", () => {
  it("counts in quotas and budgets of its namespace, also in another process", () => {
    const data = clusterWith(retained("a"), retained("b", { why: "retain" }));
    const other = createClusterData();
    for (const event of data.snapshot()) other.apply(event);
    for (const one of [data, other]) {
      expect(usageOf(one)).toMatchObject({ objects: 2, vcpus: 8, memoryGiB: 32 });
      expect(one.workloads(NOW, "new").map(({ place }) => place)).toEqual(["gcp/europe-west1", "gcp/europe-west1"]);
    }
  });

  it("counts until it is acknowledged or its record is gone", () => {
    const data = clusterWith(retained("a"), retained("b"));
    data.apply(retainedEvent(retained("a", { acknowledged })));
    expect(usageOf(data)).toMatchObject({ objects: 1 });
    data.apply(retainedEvent(retained("b"), true));
    expect(usageOf(data)).toMatchObject({ objects: 0 });
  });

  it("does not count against the object that takes it over, but against it once that exists", () => {
    const data = clusterWith(retained("a"));
    expect(usageOf(data, "a", "a-12345678")).toMatchObject({ objects: 0 });
    expect(usageOf(data, "b", "a-12345678")).toMatchObject({ objects: 1 });
    data.apply({ type: "workload", key: workloadKey("VmTemplate", "demo", "a"), workload: workload("a") });
    expect(usageOf(data, "a")).toMatchObject({ objects: 1 });
  });

  it("counts once for each deletion: only one can be taken over", () => {
    const twice = clusterWith(retained("a"), retained("a", { uid: "second" }));
    expect(usageOf(twice, "a", "a-12345678")).toMatchObject({ objects: 1 });
  });

  it.each([undefined, "a-87654321"])(
    "counts against a new object of its name whose label does not name its release, but %s (92)",
    (release) => {
      expect(usageOf(clusterWith(retained("a")), "a", release)).toMatchObject({ objects: 1, vcpus: 4 });
    },
  );

  it.each(["azure/northeurope", "aws/eu-west-1", "gcp/europe-west1", "elemento/eu-milan"])(
    "counts also for an object of the same name where the resources stayed, on %s",
    (place) => {
      const kept = retained("a", { why: "retain", workload: workload("a", place) });
      expect(isAdoptable(kept)).toBe(false);
      expect(usageOf(clusterWith(kept), "a")).toMatchObject({ objects: 1, vcpus: 4 });
    },
  );
});

describe("13: the record of it", () => {
  it("is read as it was written", () => {
    for (const one of [retained("a"), retained("a", { acknowledged })])
      expect(readRetained({ metadata: retainedMetadata(one) })).toEqual(one);
  });

  it("is nothing where it is damaged", () => {
    const of = (text: string) => readRetained({ metadata: { annotations: { "landfall.dev/retained": text } } });
    for (const text of ["", "{", "null", "[]", "{}", `{"workload":{}}`, `{"workload":{"vcpus":-1}}`])
      expect(of(text)).toBeNull();
    expect(readRetained({ metadata: {} })).toBeNull();
  });
});

describe("13: an object that takes it over", () => {
  /** An API server that holds these records; returns the names of those that are left. */
  async function afterInstalling(all: Retained[], name: string, release: string): Promise<string[]> {
    const secrets = new Map(all.map((one) => [retainedName(one.uid), { metadata: retainedMetadata(one) }]));
    const client = {
      get: () => Promise.resolve({ kind: "SecretList", apiVersion: "v1", items: [...secrets.values()], metadata: {} }),
      remove: (path: string) => Promise.resolve(secrets.delete(path.split("/").at(-1) ?? "")),
    } as unknown as KubeClient;
    const object = { apiVersion: "v1", kind: "VmTemplate", metadata: { namespace: "demo", name } };
    await openRetentions(client, "landfall-system").adopted(object, release);
    return [...secrets.keys()];
  }

  const [orphan, kept] = [retained("a"), retained("a", { uid: "kept", why: "retain" })];

  it("ends the record of its release, and no other", async () => {
    expect(await afterInstalling([orphan, kept], "a", orphan.release)).toEqual([retainedName(kept.uid)]);
    expect(await afterInstalling([orphan, kept], "a", "a-87654321")).toHaveLength(2);
    expect(await afterInstalling([orphan], "b", orphan.release)).toHaveLength(1);
  });

  it("is no object for resources that stayed at the provider: a new one of the same name and place has others", async () => {
    for (const place of ["azure/northeurope", "gcp/europe-west1", "elemento/eu-milan", "aws/eu-west-1"]) {
      const left = retained("a", { why: "retain", workload: workload("a", place) });
      expect(await afterInstalling([left], "a", "a-87654321")).toEqual([retainedName(left.uid)]);
    }
  });
});
