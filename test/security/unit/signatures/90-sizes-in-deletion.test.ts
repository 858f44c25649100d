import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { createClusterData } from "../../../../src/external-data/cluster-data.ts";
import { readDecided } from "../../../../src/external-data/read-decided.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { context, create, NO_OWNERS, NOW, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const given = context(await loadPolicy(), NOW, NO_OWNERS);
const key = "VmTemplate/demo/web";
const AZURE = { provider: "azure", schedulingLocation: "italynorth" };
const GCP = { provider: "gcp", schedulingLocation: "europe-west1" };

/** A machine as the API server stores it, with this uid. `at`: when it was decided and created. */
function decided(spec: Record<string, unknown>, uid: string, at = NOW, dryRun = false): WorkloadObject {
  const asked = vm({ memory: 4, ...spec });
  const object = patched(asked, admit({ ...create(asked), dryRun }, { ...given, nowSeconds: at }));
  return { ...object, metadata: { ...object.metadata, uid, creationTimestamp: formatTime(at) } };
}

/** What its user makes of an object that is being deleted, and that a finalizer keeps: no webhook is called. */
const deleting = (
  object: WorkloadObject,
  spec: Record<string, unknown> = {},
  decision: WorkloadObject = object,
): WorkloadObject => ({
  ...object,
  spec: { ...decision.spec, ...spec },
  metadata: {
    ...object.metadata,
    deletionTimestamp: formatTime(NOW),
    finalizers: ["t.example/x"],
    annotations: { ...object.metadata.annotations, ...decision.metadata.annotations },
  },
});

/** A cluster with this object. */
function cluster(object: WorkloadObject) {
  const data = createClusterData();
  data.apply({ type: "seen", at: NOW });
  const { uid = "" } = object.metadata;
  const put = () => {
    const { workload } = readDecided(given.keys, "VmTemplate", object);
    data.apply({ type: "workload", key, workload, of: { uid, run: "" } });
  };
  put();
  /** A controller recorded a release of this uid, with 2 vCPU in Azure. */
  const install = (uid: string) => {
    const place = "azure/italynorth" as const;
    const running = [{ place, vcpus: 2, memoryGiB: 4, pricePerHour: 0.1 }];
    const mark = { kind: "VmTemplate", namespace: "demo", name: "web", uid, release: "web-1", place, running };
    data.apply({ type: "release", record: `landfall.release.demo.web-${uid}`, installed: mark });
  };
  /** A controller bound the decision of this object to this uid. */
  const bind = (of: WorkloadObject, uid: string) => {
    const id = readDecided(given.keys, "VmTemplate", of).workload.decisionId ?? "";
    data.apply({ type: "binding", id, uid });
  };
  /** vCPU by place, as budgets count them. */
  const placed = (): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const { place, vcpus } of data.workloads(NOW, ""))
      if (place !== null) sums[place] = (sums[place] ?? 0) + vcpus;
    return sums;
  };
  return { data, put, install, bind, placed };
}

describe("90: an object that is being deleted", () => {
  const web = decided({ cpu: 2, ...AZURE }, "one");
  const huge = { cpu: 100_000 };

  it("counts in no place with a size that nobody accepted", () => {
    expect(cluster(deleting(web, huge)).placed()).toEqual({});
  });

  it("counts as large as its release is recorded, whatever it asks for", () => {
    const { placed, install, bind } = cluster(deleting(web, huge));
    install("one");
    bind(web, "one");
    expect(placed()).toEqual({ "azure/italynorth": 2 });
  });

  it("gets no size from the release of an earlier object of its name", () => {
    const { placed, install } = cluster(deleting(web, huge));
    install("earlier");
    expect(placed()).toEqual({ "azure/italynorth": 2 });
  });

  it("counts as decided while it is unchanged", () => {
    const { placed, bind } = cluster(deleting(web));
    bind(web, "one");
    expect(placed()).toEqual({ "azure/italynorth": 2 });
  });

  it("with a dry run's decision counts in no place", () => {
    const preview = decided({ cpu: 64, ...GCP }, "", NOW, true);
    expect(cluster(deleting(web, {}, preview)).placed()).toEqual({});
  });

  it.each([
    ["of an hour ago, as its signature says", NOW - 3600, false],
    ["of just now, as its binding says", NOW - 60, true],
  ])("with the decision of an earlier object of its name, %s, counts in no place", (_when, at, isBound) => {
    const earlier = decided({ cpu: 64, ...GCP }, "earlier", at);
    const { placed, bind } = cluster(deleting(web, {}, earlier));
    if (isBound) bind(earlier, "earlier");
    expect(placed()).toEqual({});
  });

  it("with a decision that no controller bound counts in no place where a controller binds decisions", () => {
    const earlier = decided({ cpu: 64, ...GCP }, "earlier", NOW - 60);
    const { placed, data } = cluster(deleting(web, {}, earlier));
    data.apply({ type: "binding", id: "another", uid: "another" });
    expect(placed()).toEqual({});
  });
});

describe("90: a spec that changed while no webhook was called", () => {
  const web = decided({ cpu: 2, ...AZURE }, "one");
  const changed = { ...web, spec: { ...web.spec, cpu: 64 } };

  it("counts in its place as large as its release is recorded", () => {
    const { placed, install, bind } = cluster(changed);
    expect(placed()).toEqual({});
    install("one");
    bind(web, "one");
    expect(placed()).toEqual({ "azure/italynorth": 2 });
  });
});

describe("90: a decision that was made for its object", () => {
  it("counts in full if the name was generated after it", () => {
    const asked = vm({ cpu: 8, memory: 4, ...AZURE }, { generateName: "web-" });
    const { name: _, ...metadata } = asked.metadata;
    const unnamed = { ...asked, metadata };
    const object = patched(unnamed, admit(create(unnamed), given));
    const stored = { ...object, metadata: { ...object.metadata, name: "web-1x2y3", uid: "one" } };
    expect(cluster(stored).placed()).toEqual({ "azure/italynorth": 8 });
  });

  it.each(["new", "bound to it"])("counts in full: %s", (how) => {
    const web = decided({ cpu: 8, ...AZURE }, "one");
    const { placed, bind } = cluster(web);
    if (how !== "new") bind(web, "one");
    expect(placed()).toEqual({ "azure/italynorth": 8 });
  });

  it("counts in full after a restore, once a controller bound it to the restored object", () => {
    const old = decided({ cpu: 2, ...AZURE }, "old", NOW - 36_000);
    const restored = { ...old, metadata: { ...old.metadata, uid: "one", creationTimestamp: formatTime(NOW) } };
    const { placed, bind } = cluster(restored);
    expect(placed()).toEqual({});
    bind(old, "one");
    expect(placed()).toEqual({ "azure/italynorth": 2 });
  });
});
