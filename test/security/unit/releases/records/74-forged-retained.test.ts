import { describe, expect, it } from "vitest";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { sizeLabels } from "../../../../../src/composition/record/running-sizes.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { trusted } from "../../../../../src/model/decision-annotation/trusted.ts";
import { recordRetained } from "../../../../../src/composition/retain/record-retained.ts";
import { createClusterData, workloadKey } from "../../../../../src/external-data/cluster-data.ts";
import { readDecided } from "../../../../../src/external-data/read-decided.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";
import { ANNOTATION } from "../../../../../src/model/names.ts";
import type { Retained } from "../../../../../src/model/runs/retained.ts";
import { NOW, vm } from "../../../../support/admission.ts";

const [HOME, VICTIM] = ["gcp/europe-west1", { provider: "azure", region: "swedencentral" }];
const spec = { cpu: 1, memory: 2, provider: "gcp", schedulingLocation: "europe-west1" };
const decided = (placement: object) => ({ [ANNOTATION.decision]: JSON.stringify({ placement }) });
const installed = vm(spec, {
  ...{ name: "web", uid: "one" },
  annotations: decided({ provider: "gcp", region: "europe-west1", pricePerHour: 0.05 }),
});
/** What its user writes into it while it is being deleted. */
const forged = vm(
  { ...spec, cpu: 100_000, provider: "azure", schedulingLocation: "swedencentral" },
  {
    ...{ name: "web", uid: "one", deletionTimestamp: "2026-11-20T22:00:00Z" },
    annotations: decided({ ...VICTIM, pricePerHour: 0, size: { vcpus: 1e9, memoryGiB: 1e9 } }),
  },
);

async function retainedOf(isSigned: boolean): Promise<Retained["workload"] | undefined> {
  const all: Retained[] = [];
  const global = { compositionId: "one", compositionKind: "VmTemplate" };
  const revision = {
    labels: sizeLabels(trusted(null, installed as Resource)),
    status: "deployed",
    release: { config: { ...spec, global } },
  };
  const parts = {
    records: {
      read: () => Promise.resolve(isSigned ? { revisions: [revision] } : null),
      running: () => Promise.resolve([]),
    },
    retentions: { record: (one: Retained) => Promise.resolve(void all.push(one)) },
    nowSeconds: () => NOW,
  } as unknown as CompositionContext;
  await recordRetained(parts, { object: forged } as unknown as Composition, "web-12345678", true);
  return all[0]?.workload;
}

describe("74: the record of what a deleted object left running", () => {
  it("has place, size and price of the release's record, whatever the object says by then", async () => {
    const amounts = { place: HOME, vcpus: 1, memoryGiB: 2, pricePerHour: 0.05 };
    expect(await retainedOf(true)).toEqual({
      ...{ kind: "VmTemplate", namespace: "demo", name: "web", uid: "one", vmName: null, start: null, end: null },
      ...amounts,
    });
  });

  it("fills no place if the release has no valid record", async () => {
    expect(await retainedOf(false)).toMatchObject({ place: null, vcpus: 100_000, pricePerHour: null });
  });
});

describe("74: an object with a forged decision in its own place", () => {
  const running = [{ place: HOME, vcpus: 1, memoryGiB: 2, pricePerHour: 0.05 }];
  const mark = {
    kind: "VmTemplate",
    namespace: "demo",
    name: "web",
    uid: "one",
    release: "web-1",
    place: HOME,
    running,
  };
  const inPlace = {
    ...forged,
    metadata: {
      ...forged.metadata,
      annotations: decided({ provider: "gcp", region: "europe-west1", pricePerHour: 9 }),
    },
  };

  it("counts there as its release runs", () => {
    const data = createClusterData();
    data.apply({ type: "seen", at: NOW });
    data.apply({ type: "release", record: "a", installed: mark });
    const { workload } = readDecided(ringOf(Buffer.alloc(32, 7)), "VmTemplate", inPlace);
    data.apply({ type: "workload", key: workloadKey("VmTemplate", "demo", "web"), workload });
    expect(data.workloads(NOW, "")).toMatchObject(running);
    expect(data.workloads(NOW, "")).toHaveLength(1);
  });
});
