import { describe, expect, it } from "vitest";
import { runningSizes, sizeLabels } from "../../../../../src/composition/record/running-sizes.ts";
import type { RecordedRevision } from "../../../../../src/composition/record/release-record.ts";
import { trusted } from "../../../../../src/model/decision-annotation/trusted.ts";
import {
  type ClusterData,
  createClusterData,
  retainedEvent,
  workloadKey,
} from "../../../../../src/external-data/cluster-data.ts";
import type { ExistingWorkload } from "../../../../../src/model/cluster-data.ts";
import {
  readReleaseMark,
  type ReleaseMark,
  releaseMetadata,
  type RunningSize,
} from "../../../../../src/model/decision-annotation/system-secrets.ts";

const NOW = 1_795_212_000;
const HOME = "gcp/europe-west1";
const KEY = workloadKey("VmTemplate", "demo", "web");

const size = (vcpus: number, place = HOME): RunningSize => ({ place, vcpus, memoryGiB: 4, pricePerHour: 0.5 });

const mark = (running: RunningSize[], uid = "first"): ReleaseMark => ({
  ...{ kind: "VmTemplate", namespace: "demo", name: "web", uid, release: `web-${uid}` },
  ...{ place: running[0]?.place ?? HOME, running },
});

const object = (vcpus: number, more: Partial<ExistingWorkload> = {}): ExistingWorkload => ({
  ...{ kind: "VmTemplate", namespace: "demo", name: "web", uid: "first", vmName: "web", vcpus, memoryGiB: 4 },
  ...{ pricePerHour: 0.1, place: HOME, start: NOW - 3600, end: null },
  ...more,
});

function clusterWith(...events: Parameters<ClusterData["apply"]>[0][]): ClusterData {
  const data = createClusterData();
  for (const event of [...events, { type: "seen" as const, at: NOW }]) data.apply(event);
  return data;
}

const installed = (one: ReleaseMark | null, record = "a") => ({ type: "release" as const, record, installed: one });
const stored = (workload: ExistingWorkload | null) => ({ type: "workload" as const, key: KEY, workload });

const usageOf = (data: ClusterData, key = "", release?: string) =>
  data.around({ key, namespace: "demo", vmName: null, release }, NOW)?.usage;

const placesOf = (data: ClusterData, now = NOW) =>
  data.workloads(now, "").map(({ place, vcpus, end }) => ({ place, vcpus, end }));

describe("what a release runs", () => {
  it.each(["the object first", "the record first"])("counts where the object asks for less: %s", (order) => {
    const events = [stored(object(1)), installed(mark([size(16)]))];
    const data = clusterWith(...(order === "the object first" ? events : events.reverse()));
    const copy = clusterWith(...data.snapshot());
    for (const one of [data, copy]) {
      expect(usageOf(one)).toMatchObject({ objects: 1, vcpus: 16, pricePerMonth: 365 });
      expect(placesOf(one)).toEqual([{ place: HOME, vcpus: 16, end: null }]);
    }
    expect(usageOf(data, KEY)).toMatchObject({ objects: 0, vcpus: 0 });
  });

  it("counts in its place, also where the object names another one", () => {
    const data = clusterWith(stored(object(1, { place: "aws/eu-west-1" })), installed(mark([size(16)])));
    expect(placesOf(data).map(({ place, vcpus }) => [place, vcpus])).toEqual([
      [HOME, 16],
      ["aws/eu-west-1", 1],
    ]);
  });

  it("counts no more once the record says so", () => {
    const data = clusterWith(stored(object(1)), installed(mark([size(16)])));
    data.apply(installed(mark([size(1)])));
    expect(usageOf(data)).toMatchObject({ vcpus: 1 });
    data.apply(installed(null));
    expect(placesOf(data)).toEqual([{ place: HOME, vcpus: 1, end: null }]);
  });

  it("counts where its object lost its finalizer and is gone, beside an object that is created again", () => {
    const data = clusterWith(stored(object(16)), installed(mark([size(16)])), stored(null));
    expect(usageOf(data)).toMatchObject({ objects: 1, vcpus: 16 });
    expect(usageOf(data, KEY)).toMatchObject({ vcpus: 16 });
    // An object that is restored with its labels takes its release over.
    expect(usageOf(data, KEY, "web-first")).toMatchObject({ vcpus: 0 });
    data.apply(stored(object(16, { uid: "second" })));
    expect(usageOf(data)).toMatchObject({ objects: 2, vcpus: 32 });
    data.apply(installed(null));
    expect(usageOf(data)).toMatchObject({ objects: 1, vcpus: 16 });
  });

  it("counts once where its release was orphaned, and not once that is acknowledged", () => {
    const workload = object(16, { vmName: null });
    const about = { workload, uid: "first", release: "web-first", why: "orphan" as const, at: "2026-11-20T22:00:00Z" };
    const data = clusterWith(stored(object(16)), installed(mark([size(16)])));
    data.apply(retainedEvent({ ...about, acknowledged: null }));
    data.apply(stored(null));
    expect(usageOf(data)).toMatchObject({ objects: 1, vcpus: 16 });
    const acknowledged = { by: "platform", reason: "kept", at: "2026-11-21T00:00:00Z" };
    data.apply(retainedEvent({ ...about, acknowledged }));
    expect(usageOf(data)).toMatchObject({ objects: 0, vcpus: 0 });
    expect(usageOf(clusterWith(...data.snapshot()))).toMatchObject({ objects: 0, vcpus: 0 });
  });

  it("counts in its place after its end, for as long as it is installed", () => {
    const data = clusterWith(stored(object(4, { end: NOW + 60 })), installed(mark([size(4)])));
    expect(placesOf(data)).toEqual([{ place: HOME, vcpus: 4, end: NOW + 60 }]);
    expect(placesOf(data, NOW + 3600)).toEqual([{ place: HOME, vcpus: 4, end: null }]);
    data.apply(installed(null));
    expect(placesOf(data, NOW + 3600)).toEqual([{ place: HOME, vcpus: 4, end: NOW + 60 }]);
  });
});

describe("the record's mark", () => {
  const spec = { provider: "gcp", schedulingLocation: "europe-west1", cpu: 16, memory: 64 };
  const global = { compositionId: "first", compositionKind: "VmTemplate", compositionNamespace: "demo" };
  const revision = (
    number: number,
    status: RecordedRevision["status"],
    config: object,
    more: Partial<RecordedRevision> = {},
  ): RecordedRevision => ({
    ...{ secret: `v${number}`, revision: number, status, labels: {}, createdAt: 0, copy: "" },
    release: { config: { ...config, global } },
    ...more,
  });

  it("is read as it was written", () => {
    const one = mark([size(16), { ...size(2, "aws/eu-west-1"), pricePerHour: null }]);
    expect(readReleaseMark({ metadata: releaseMetadata(one) })).toEqual(one);
  });

  it("names what the newest, the deployed and the unfinished revisions run", () => {
    const revisions = [
      revision(5, "failed", { ...spec, cpu: 1 }),
      revision(4, "failed", { ...spec, cpu: 64, provider: "aws", schedulingLocation: "eu-west-1" }),
      revision(3, "failed", { ...spec, cpu: 99 }, { pruned: true }),
      revision(2, "deployed", spec),
      revision(1, "superseded", { ...spec, cpu: 98 }),
    ];
    expect(runningSizes(revisions).map(({ place, vcpus }) => [place, vcpus])).toEqual([
      [HOME, 1],
      ["aws/eu-west-1", 64],
      [HOME, 16],
    ]);
  });

  it("keeps size and price of a revision whose values are no longer kept", () => {
    const placement = { provider: "gcp", region: "europe-west1", pricePerHour: 0.779 };
    const annotations = { "landfall.dev/decision": JSON.stringify({ placement }) };
    const labels = sizeLabels(trusted(null, { apiVersion: "v1", kind: "VmTemplate", metadata: { annotations }, spec }));
    for (const label of Object.values(labels)) expect(label).toMatch(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/);
    expect(runningSizes([revision(1, "failed", {}, { labels, release: {} })])).toEqual([
      { place: HOME, vcpus: 16, memoryGiB: 64, pricePerHour: 0.779 },
    ]);
  });
});
