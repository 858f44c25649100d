import { describe, expect, it } from "vitest";
import { type ClusterEvent, createClusterData } from "../../../src/external-data/cluster-data.ts";
import type { RecordedRun } from "../../../src/external-data/run-index.ts";
import { decisionEventOf, secretEvent } from "../../../src/external-data/secret-event.ts";
import { readBootRecord } from "../../../src/model/runs/boot-record.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { type RunPlan, type RunRecord, runRecordMetadata } from "../../../src/model/runs/run-record.ts";
import type { ExistingWorkload } from "../../../src/model/cluster-data.ts";
import { bootsOf } from "../../support/composition/observed-boots.ts";

const NOW = 1_800_000_000;
const KEY = "VmTemplate/demo/job";
const workload: ExistingWorkload = {
  ...{ kind: "VmTemplate", namespace: "demo", name: "job", vmName: "job", vcpus: 4, memoryGiB: 8, pricePerHour: 1 },
  ...{ place: "gcp/europe-west6", start: NOW - 3600, end: NOW + 3600 },
};
const object = (run = "", uid = "u1"): ClusterEvent => ({ type: "workload", key: KEY, workload, of: { uid, run } });
const recorded = (given: Partial<RecordedRun>): ClusterEvent => {
  const run = { uid: "u1", run: "", endedAt: null, removedAt: null, ...given };
  return { type: "run", key: KEY, uid: run.uid, run };
};

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

describe("a run without a machine", () => {
  const plan: RunPlan = {
    ...{ duration: 60, maxLifetime: null, whenDone: "delete", keepFailed: null, grace: 0, retains: false },
  };
  const recreates: RunPlan = { ...plan, recreates: true };
  const secretOf = (given: Partial<RunRecord>): Resource => {
    const record: RunRecord = {
      ...{ uid: "u1", kind: "VmTemplate", namespace: "demo", name: "job", run: "", plan, startedAt: NOW, end: null },
      ...{ removedAt: null, wasReady: false, machine: null, reported: null, pricePerHour: null, gramsCO2: null },
      ...given,
    };
    return { apiVersion: "v1", kind: "Secret", metadata: runRecordMetadata(record) };
  };

  it.each<[string, Partial<RunRecord>, boolean]>([
    ["after a pause that deleted it", { plan: recreates }, true],
    ["after an eviction", { evictions: { count: 1, waiting: true } }, true],
    ["while it is there", { plan: recreates, wasReady: true }, false],
    ["after a pause that stopped it", {}, false],
    ["once it is over", { plan: recreates, end: { at: NOW, by: "time", outcome: "succeeded" } }, false],
    ["if it retains its machine", { plan: { ...recreates, retains: true } }, false],
  ])("is known by its record: %s", (_when, given, lacks) => {
    const data = createClusterData();
    const event = secretEvent(secretOf(given), false);
    if (event !== null) data.apply(event);
    const again = createClusterData();
    for (const one of data.snapshot()) again.apply(one);
    const about = { kind: "VmTemplate", metadata: { namespace: "demo", name: "job", uid: "u1" } };
    expect([data, again].map(({ owners }) => owners.lacksMachine(about))).toEqual([lacks, lacks]);
    const other = { ...about, metadata: { ...about.metadata, uid: "u2" } };
    expect(data.owners.lacksMachine(other)).toBe(false);
  });
});

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
    expect(after(gone, object(), { type: "run", key: KEY, uid: "u1", run: null }).vcpus).toBe(4);
    expect(after(object(), recorded({})).ends).toEqual([NOW + 3600]);
  });

  it("stays over when the record of an earlier object of its name is removed", () => {
    const run = recorded({ endedAt: NOW - 60, removedAt: NOW });
    const earlier = recorded({ uid: "u0", endedAt: NOW - 9000, removedAt: NOW - 8000 });
    const removed: ClusterEvent = { type: "run", key: KEY, uid: "u0", run: null };
    expect(after(object(), run, earlier, removed)).toEqual({ vcpus: 0, ends: [] });
  });

  it("is read from Landfall's own records only", () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "landfall.run.u1", annotations: {} } };
    expect(decisionEventOf(secret, false)).toBeNull();
  });
});

describe("observed boot times", () => {
  const secret = (name: string, text: string): Resource => ({
    ...{ apiVersion: "v1", kind: "Secret" },
    metadata: { name, annotations: { "landfall.dev/boot-times": text } },
  });

  it("reach decisions, also those of a process that starts later", () => {
    const data = createClusterData();
    expect(data.boots()).toEqual({});
    data.apply({ type: "boots", observed: { "gcp/VmTemplate": bootsOf(30, 40) } });
    const later = createClusterData();
    for (const event of data.snapshot()) later.apply(event);
    expect(later.boots()).toEqual({ "gcp/VmTemplate": bootsOf(30, 40) });
  });

  it.each([
    [
      "as recorded",
      "landfall.boot-times",
      '{"gcp/VmTemplate":[{"namespace":"team-0","seconds":30}]}',
      { "gcp/VmTemplate": bootsOf(30) },
    ],
    [
      "without what is no time, or names no namespace",
      "landfall.boot-times",
      '{"gcp/VmTemplate":[{"namespace":"team-0","seconds":30},{"namespace":"b","seconds":-1},{"seconds":9},30,"9",null],"x":1}',
      { "gcp/VmTemplate": bootsOf(30) },
    ],
    ["not at all from a text that is no JSON", "landfall.boot-times", "{", {}],
    ["not from another Secret", "landfall.run.u1", '{"gcp/VmTemplate":[30]}', null],
  ])("are read %s", (_what, name, text, expected) => {
    expect(readBootRecord(secret(name, text))).toEqual(expected);
  });
});
