import { describe, expect, it } from "vitest";
import { leftBehind } from "../../../../../src/admission/decide/left-behind.ts";
import { countedSizes, heldAfter } from "../../../../../src/composition/record/held-sizes.ts";
import type { HeldSize } from "../../../../../src/composition/record/held-size.ts";
import type { RecordedRevision } from "../../../../../src/composition/record/release-record.ts";
import { runningSizes, sizeLabels, trimmed } from "../../../../../src/composition/record/running-sizes.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import type { RunningSize } from "../../../../../src/model/decision-annotation/system-secrets.ts";
import { trusted } from "../../../../../src/model/decision-annotation/trusted.ts";
import type { WorkloadRequest } from "../../../../../src/model/workload.ts";

const PLACE = "azure/northeurope";
const PLACED = { provider: "azure", schedulingLocation: "northeurope" };
const pool = (name: string, count = 3, cpu = 4) => ({ name, count, cpu, memory: cpu * 4 });
const SYS = pool("sys", 1, 2);

/** A revision of a cluster with these pools besides `sys`. */
function revision(number: number, status: RecordedRevision["status"], ...workers: object[]): RecordedRevision {
  const spec = { ...PLACED, nodePools: [SYS, ...workers] };
  const global = {
    compositionId: "u",
    compositionKind: "KaasCluster",
    compositionNamespace: "d",
    compositionName: "c",
  };
  const object = { apiVersion: "x", kind: "KaasCluster", metadata: { name: "c", namespace: "d" }, spec } as Resource;
  return {
    ...{ secret: `s${String(number)}`, revision: number, status, createdAt: 1000 + number, copy: "" },
    labels: sizeLabels(trusted(null, object)),
    release: { name: "c-1", config: { ...spec, global }, manifest: "", hooks: [] },
  };
}

/** vCPU that count after these changes of the deployed pools, one after the other. */
function after(...changes: object[][]): number {
  let held: HeldSize[] = [];
  let revisions: RecordedRevision[] = [];
  changes.forEach((workers, index) => {
    const next = [revision(index + 1, "deployed", ...workers)];
    held = heldAfter({ held, running: runningSizes(revisions) }, next);
    revisions = next;
  });
  return Math.max(...countedSizes({ revisions, held }).map(({ vcpus }) => vcpus));
}

describe("281: a cluster", () => {
  it.each<[string, object[][], number]>([
    ["is as large as its pools", [[pool("w1")]], 14],
    ["counts a pool besides the one that replaced it", [[pool("w1")], [pool("w2")]], 26],
    ["counts all pools of a chain of them", [[pool("w1")], [pool("w2")], [pool("w3")], [pool("w4")]], 50],
    ["counts a pool once that comes back", [[pool("w1")], [pool("w2")], [pool("w1")]], 26],
    ["counts a pool that was removed", [[pool("w1")], []], 14],
    [
      "counts each pool at its largest",
      [
        [pool("a"), pool("b", 1)],
        [pool("a", 1), pool("b")],
      ],
      26,
    ],
    ["holds nothing of one that only grew", [[pool("w1")], [pool("w1", 5)]], 22],
  ])("%s", (_, changes, expected) => {
    expect(after(...changes)).toBe(expected);
  });

  it("counts the pools of revisions that failed, also when their values are no longer kept", () => {
    const revisions = trimmed([revision(3, "deployed", pool("w3")), revision(2, "failed", pool("w2"))]);
    expect(revisions[1]?.release["config"]).toEqual({});
    expect(countedSizes({ revisions }).at(-1)).toMatchObject({ place: PLACE, vcpus: 26, memoryGiB: 104 });
  });
});

const size = (place: string, vcpus: number): RunningSize => ({ place, vcpus, memoryGiB: vcpus * 4, pricePerHour: 1 });

describe("281: what a change leaves behind", () => {
  const asked = (provider: string | null, pools?: { name: string; most: number }[]): WorkloadRequest =>
    ({ pin: { provider }, ...(pools === undefined ? {} : { cluster: { pools } }) }) as unknown as WorkloadRequest;
  const nodes = { nodes: 3, vcpus: 12, memoryGiB: 48, pricePerHour: 0.6 };
  const cluster: RunningSize = {
    ...{ place: PLACE, vcpus: 26, memoryGiB: 104, pricePerHour: 1.3 },
    pools: { sys: { nodes: 1, vcpus: 2, memoryGiB: 8, pricePerHour: 0.1 }, w1: nodes, w2: nodes },
  };

  it.each<[string, RunningSize[], WorkloadRequest, number]>([
    ["nothing of a machine in its place", [size(PLACE, 8)], asked("azure"), 0],
    ["nothing in another place of its provider, which has no second one", [size(PLACE, 8)], asked("azure"), 0],
    ["a machine at another provider", [size(PLACE, 8)], asked("gcp"), 8],
    ["the machines of earlier moves", [size("gcp/a", 8), size(PLACE, 4)], asked("aws"), 12],
    ["all but the place that it comes back to", [size("gcp/a", 8), size(PLACE, 4)], asked("azure"), 8],
    ["all but the largest, where the provider is not said", [size("gcp/a", 8), size(PLACE, 4)], asked(null), 4],
    ["the pools that it does not name", [cluster], asked("azure", [{ name: "w2", most: 3 }]), 14],
    [
      "the part of a pool that it no longer has",
      [cluster],
      asked("azure", [
        { name: "sys", most: 1 },
        { name: "w1", most: 1 },
        { name: "w2", most: 5 },
      ]),
      8,
    ],
  ])("is %s", (_, recorded, request, expected) => {
    expect(leftBehind(recorded, request).vcpus).toBeCloseTo(expected);
  });
});

describe("281: the usage of a namespace", () => {
  const ABOUT = { kind: "VmTemplate", namespace: "demo", name: "m" } as const;
  const used = (running: RunningSize[], place: string, vcpus: number): number | undefined => {
    const data = createClusterData();
    const workload = { ...ABOUT, uid: "u", vmName: "m", start: null, end: null, ...size(place, vcpus) };
    data.apply({ type: "workload", key: "VmTemplate/demo/m", workload });
    const mark = { ...ABOUT, uid: "u", release: "m-1", place, running };
    data.apply({ type: "release", record: "landfall.release.m", installed: mark });
    data.apply({ type: "seen", at: 1000 });
    return data.around({ key: "VmTemplate/demo/x", namespace: "demo", vmName: null }, 1000)?.usage.vcpus;
  };

  it.each<[string, RunningSize[], [string, number], number]>([
    [
      "a machine once, where it is and where it is to be at its provider",
      [size(PLACE, 8), size("azure/x", 6)],
      ["azure/x", 6],
      8,
    ],
    ["machines at several providers together", [size("aws/a", 8), size("gcp/b", 8), size(PLACE, 8)], ["aws/a", 8], 24],
    ["a machine that moves to another provider besides the one that runs", [size(PLACE, 8)], ["gcp/b", 4], 12],
    ["a machine that is to grow", [size(PLACE, 8)], [PLACE, 16], 16],
    ["a machine that is not installed yet", [], [PLACE, 4], 4],
  ])("has %s", (_, running, [place, vcpus], expected) => {
    expect(used(running, place, vcpus)).toBe(expected);
  });
});
