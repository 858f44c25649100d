import { describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { openRecords } from "../../../../../src/composition/record/open-records.ts";
import { recordRetained } from "../../../../../src/composition/retain/record-retained.ts";
import { createClusterData, retainedEvent } from "../../../../../src/external-data/cluster-data.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";
import {
  releaseMetadata,
  type ReleaseMark,
  type RunningSize,
} from "../../../../../src/model/decision-annotation/system-secrets.ts";
import type { Retained } from "../../../../../src/model/runs/retained.ts";
import { NOW, vm } from "../../../../support/admission.ts";

const HOME = "gcp/europe-west1";
const LARGE: RunningSize = { place: HOME, vcpus: 96, memoryGiB: 96, pricePerHour: 3.786 };
/** The object asks for one vCPU by the time it is gone. */
const SPEC = { cpu: 1, memory: 1, provider: "gcp", schedulingLocation: "europe-west1" };

const markOf = (running: RunningSize[]): ReleaseMark => ({
  ...{ kind: "VmTemplate", namespace: "demo", name: "web", uid: "one", release: "web-1" },
  ...{ place: HOME, running },
});

/** What is recorded of a gone object whose release's record has this metadata, and a signature of a key that was lost. */
async function retainedOf(running: RunningSize[], isOrphan = true): Promise<Retained[]> {
  const metadata = {
    name: "landfall.release.demo.web-1",
    namespace: "landfall-system",
    ...releaseMetadata(markOf(running)),
  };
  const secret = { metadata, data: { record: Buffer.from("{}").toString("base64") } };
  const client = { get: () => Promise.resolve(secret) } as unknown as KubeClient;
  const log = { warn: () => undefined } as never;
  const keys = () => ringOf(Buffer.alloc(32, 9));
  const all: Retained[] = [];
  const parts = {
    records: openRecords({ client, log, systemNamespace: "landfall-system", keys }),
    retentions: { record: (one: Retained) => Promise.resolve(void all.push(one)) },
    nowSeconds: () => NOW,
  } as unknown as CompositionContext;
  await recordRetained(parts, { object: vm(SPEC, { uid: "one" }) } as unknown as Composition, "web-1", isOrphan);
  return all;
}

describe("133: a machine that is left behind after the key of its record was lost", () => {
  it("counts as before, in size, price and place", async () => {
    const data = createClusterData();
    data.apply({ type: "seen", at: NOW });
    data.apply({ type: "release", record: "landfall.release.demo.web-1", installed: markOf([LARGE]) });
    const counted = () => ({
      usage: data.around({ key: "VmTemplate/demo/x", namespace: "demo", vmName: null }, NOW)?.usage,
      places: data.workloads(NOW, "x").map(({ place, vcpus }) => ({ place, vcpus })),
    });
    const before = counted();
    expect(before).toMatchObject({ usage: { objects: 1, vcpus: 96 }, places: [{ place: HOME, vcpus: 96 }] });
    const [retained] = await retainedOf([LARGE]);
    data.apply(retainedEvent(retained as Retained));
    expect(counted()).toEqual(before);
  });

  it("counts if its record says that it stays, whatever its object says by then", async () => {
    expect(await retainedOf([{ ...LARGE, retains: true }], false)).toMatchObject([
      { why: "retain", workload: { place: HOME, vcpus: 96, pricePerHour: 3.786 } },
    ]);
    expect(await retainedOf([LARGE], false)).toEqual([]);
  });

  it("counts as its object asks, and in no place, if no record names a size", async () => {
    expect(await retainedOf([])).toMatchObject([{ workload: { place: null, vcpus: 1, pricePerHour: null } }]);
  });
});
