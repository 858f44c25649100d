import { beforeAll, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { clusterContext } from "../../../../../src/external-data/cluster-context.ts";
import { type ClusterData, createClusterData, workloadKey } from "../../../../../src/external-data/cluster-data.ts";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import { context, create, NO_OWNERS, NOW, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

let policy: LoadedBundle;

beforeAll(async () => {
  policy = await loadPolicy();
});

const SIZE = { vmName: "web", vcpus: 1, memoryGiB: 1, pricePerHour: 0, place: null, start: null, end: null };

function put(data: ClusterData, namespace: string, name: string): void {
  const workload = { kind: "VmTemplate" as const, namespace, name, ...SIZE };
  data.apply({ type: "workload", key: workloadKey("VmTemplate", namespace, name), workload });
}

/** A cluster where `others` machines of another namespace are called web, and were seen before one of this namespace. */
function clusterWith(others: number, own: number): ClusterData {
  const data = createClusterData();
  for (let one = 0; one < others; one++) put(data, "squatter", `squat-${String(one)}`);
  for (let one = 0; one < own; one++) put(data, "demo", `own-${String(one)}`);
  data.apply({ type: "seen", at: NOW });
  return data;
}

const asked = vm({ cpu: 1, memory: 1, vmName: "web" }, {});
const key = workloadKey("VmTemplate", "demo", asked.metadata.name ?? "");
const around = (data: ClusterData) =>
  clusterContext(data, { key, kind: "VmTemplate", object: asked }, NOW).relatedWorkloads;

it.each([0, 4, 5, 200])(
  "a name of the own namespace is taken, whatever %i machines of another one are called",
  (others) => {
    const outcome = admit(create(asked), {
      ...context(policy, NOW, NO_OWNERS),
      relatedWorkloads: around(clusterWith(others, 1)),
    });
    expect(outcome).toMatchObject({ allowed: false, codes: ["POL_VM_NAME_TAKEN"] });
    expect(JSON.stringify(outcome)).toContain("demo/own-0");
  },
);

it("a decision is told of five namesakes at most, those of its own namespace first", () => {
  const known = around(clusterWith(200, 2))?.sameVmName ?? [];
  expect(known.map(({ namespace }) => namespace)).toEqual(["demo", "demo", "squatter", "squatter", "squatter"]);
  expect(around(clusterWith(200, 9))?.sameVmName).toHaveLength(5);
});

it("names that others give back are no longer told", () => {
  const data = clusterWith(3, 1);
  const gone = ["squatter/squat-0", "squatter/squat-1", "squatter/squat-2", "demo/own-0"];
  for (const one of gone) data.apply({ type: "workload", key: `VmTemplate/${one}`, workload: null });
  expect(around(data)?.sameVmName).toEqual([]);
});
