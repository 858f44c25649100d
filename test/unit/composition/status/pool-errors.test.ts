import { describe, expect, it } from "vitest";
import { clusterStatus } from "../../../../src/composition/status/cluster-status.ts";
import { withPoolErrors } from "../../../../src/composition/status/pool-errors.ts";
import type { Found } from "../../../../src/composition/status/summarise-readiness.ts";

const GKE = "container.cnrm.cloud.google.com/v1beta1";
const SUMMARY = 'NodePool batch was created in the error state "RUNNING_WITH_ERROR"';
const FAILED = {
  ...{ type: "Ready", status: "False", reason: "UpdateFailed" },
  message: `Update call failed: error applying desired state: summary: ${SUMMARY}`,
};
const UP_TO_DATE = { type: "Ready", status: "True", reason: "UpToDate", message: "The resource is up to date" };

const cluster: Found = {
  ...{ apiVersion: GKE, kind: "ContainerCluster", name: "web" },
  live: { apiVersion: GKE, kind: "ContainerCluster", metadata: { name: "web" }, status: { conditions: [UP_TO_DATE] } },
};

function pool(condition: object, { uid = "u", generation = 1 } = {}): Found {
  const spec = { resourceID: "batch", location: "europe-west4-b", nodeCount: 3 };
  const metadata = { name: "web-batch", uid, generation };
  const status = { conditions: [condition], observedGeneration: generation };
  const live = { apiVersion: GKE, kind: "ContainerNodePool", metadata, spec, status };
  return { apiVersion: GKE, kind: "ContainerNodePool", name: "web-batch", live };
}

const poolsAfter = (one: Found, before: unknown) => clusterStatus([cluster, one], { pools: before })?.pools ?? [];

describe("a pool that GKE made in an error state, which its operator says at one look", () => {
  const first = poolsAfter(pool(FAILED), undefined);
  const next = poolsAfter(pool(UP_TO_DATE), first);

  it("keeps the error after the operator calls it up to date, and has no ready nodes", () => {
    expect(first).toEqual([{ name: "batch", desired: 3, error: SUMMARY, errorOf: "u/1" }]);
    expect(next).toEqual(first);
    expect(poolsAfter(pool(UP_TO_DATE), next)).toEqual(first);
  });

  it("loses it when it changes, or is another one", () => {
    const clean = [{ name: "batch", desired: 3 }];
    expect(poolsAfter(pool(UP_TO_DATE, { generation: 2 }), next)).toEqual(clean);
    expect(poolsAfter(pool(UP_TO_DATE, { uid: "v" }), next)).toEqual(clean);
    expect(poolsAfter(pool(UP_TO_DATE), undefined)).toEqual(clean);
  });

  it("stands in Ready as long as nothing else is wrong", () => {
    const ready = { type: "Ready", status: "True", reason: "Available", message: "8 resources are ready" } as const;
    expect(withPoolErrors(ready, { pools: next })).toEqual({
      ...ready,
      reason: "PoolErrors",
      message: `8 resources are ready; nodes may be missing: pool batch: ${SUMMARY}`,
    });
    expect(withPoolErrors(ready, { pools: [{ name: "batch" }] })).toBe(ready);
    expect(withPoolErrors(ready, null)).toBe(ready);
    const other = { ...ready, status: "False", reason: "Creating" } as const;
    expect(withPoolErrors(other, { pools: next })).toBe(other);
  });
});
