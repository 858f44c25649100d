import { describe, expect, it } from "vitest";
import { type ClusterEvent, createClusterData } from "../../../src/external-data/cluster-data.ts";
import type { RecordedRun } from "../../../src/external-data/run-index.ts";
import { decisionEventOf } from "../../../src/external-data/watch-decisions.ts";
import type { ExistingWorkload } from "../../../src/model/cluster-data.ts";

const NOW = 1_800_000_000;
const KEY = "VmTemplate/demo/job";
const workload: ExistingWorkload = {
  ...{ kind: "VmTemplate", namespace: "demo", name: "job", vmName: "job", vcpus: 4, memoryGiB: 8, pricePerHour: 1 },
  ...{ place: "gcp/europe-west6", start: NOW - 3600, end: NOW + 3600 },
};
const object = (run = "", uid = "u1"): ClusterEvent => ({ type: "workload", key: KEY, workload, of: { uid, run } });
const recorded = (given: Partial<RecordedRun>): ClusterEvent => ({
  ...{ type: "run", key: KEY },
  run: { uid: "u1", run: "", endedAt: null, removedAt: null, ...given },
});

function after(...events: ClusterEvent[]): { vcpus: number | undefined; ends: (number | null)[] } {
  const data = createClusterData();
  for (const event of [...events, { type: "seen", at: NOW } as const]) data.apply(event);
  const again = createClusterData();
  for (const event of data.snapshot()) again.apply(event);
  const read = (from: typeof data) => ({
    vcpus: from.around({ key: "other", namespace: "demo", vmName: null }, NOW)?.usage.vcpus,
    ends: from.workloads(NOW, "other").map(({ end }) => end),
  });
  expect(read(again)).toEqual(read(data));
  return read(data);
}

describe("an object whose run is over", () => {
  it.each([[["object", "run"]], [["run", "object"]]])(
    "frees its budget at the end, and its quota later: %j",
    (order) => {
      const run = recorded({ endedAt: NOW - 60 });
      const events = order.map((one) => (one === "object" ? object() : run));
      expect(after(...events)).toEqual({ vcpus: 4, ends: [NOW - 60] });
    },
  );

  it("frees its quota when its resources are gone", () => {
    expect(after(object(), recorded({ endedAt: NOW - 60, removedAt: NOW }))).toEqual({ vcpus: 0, ends: [] });
  });

  it("counts in full if it asks for another run, if the record is another object's, and if the record is gone", () => {
    const gone = recorded({ endedAt: NOW - 60, removedAt: NOW });
    expect(after(gone, object("2")).vcpus).toBe(4);
    expect(after(gone, object("", "u2")).vcpus).toBe(4);
    expect(after(gone, object(), { type: "run", key: KEY, run: null }).vcpus).toBe(4);
    expect(after(object(), recorded({})).ends).toEqual([NOW + 3600]);
  });

  it("is read from Landfall's own records only", () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "landfall.run.u1", annotations: {} } };
    expect(decisionEventOf(secret, false)).toBeNull();
  });
});
