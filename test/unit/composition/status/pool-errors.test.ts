import { describe, expect, it } from "vitest";
import { clusterStatus } from "../../../../src/composition/status/cluster-status.ts";
import { withPoolErrors } from "../../../../src/composition/status/pool-errors.ts";
import type { Found } from "../../../../src/composition/status/summarise-readiness.ts";
import { kcc } from "../../../../src/local/simulators/kcc/kcc.ts";
import type { Resource } from "../../../../src/local/simulators/types.ts";
import { lookupIn, made, resources, ruleOf } from "../../simulators/resources.ts";

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
      message: `8 resources are ready; look at its pools: pool batch: ${SUMMARY}`,
    });
    expect(withPoolErrors(ready, { pools: [{ name: "batch" }] })).toBe(ready);
    expect(withPoolErrors(ready, null)).toBe(ready);
    const other = { ...ready, status: "False", reason: "Creating" } as const;
    expect(withPoolErrors(other, { pools: next })).toBe(other);
  });
});

describe("the default pool that GKE does not delete from a new cluster, as the simulator shows it", () => {
  const [asked] = resources(`
apiVersion: ${GKE}
kind: ContainerCluster
metadata: {name: web, uid: u, annotations: {landfall.dev/simulate: default-pool-stays}}
spec: {location: europe-west4-b}
`) as [Resource];
  const refusal = ruleOf(kcc, "ContainerCluster").refuses?.(asked, lookupIn([])) ?? null;
  const refused: Resource = {
    ...asked,
    status: { ...refusal?.leaves, conditions: refusal && kcc.conditions({ name: "refused", refusal }, asked) },
  };
  const ready = made(kcc, refused);
  const foundOf = (live: Resource): Found => ({ apiVersion: GKE, kind: live.kind, name: "web", live });
  const after = (live: Resource, before?: unknown) =>
    clusterStatus([foundOf(live), pool(UP_TO_DATE)], { pools: before })?.pools ?? [];
  const ERROR = /^Error deleting default node pool: Operation operation-1 is currently creating cluster web/;
  const first = after(refused);
  const left = first.filter(({ name }) => name === "default-pool");

  it("is said at one look, and stays in the status and in Ready after the cluster is up to date", () => {
    expect(ruleOf(kcc, "ContainerCluster").refuses?.(refused, lookupIn([])) ?? null).toBeNull();
    expect(left).toEqual([
      { name: "default-pool", desired: 0, error: expect.stringMatching(ERROR) as string, errorOf: "u" },
    ]);
    expect(after(ready, first)).toEqual([...left, { name: "batch", desired: 3 }]);
    const available = { type: "Ready", status: "True", reason: "Available", message: "9 resources are ready" } as const;
    const shown = withPoolErrors(available, { pools: after(ready, first) });
    expect(shown.reason).toBe("PoolErrors");
    expect(shown.message).toContain("look at its pools: pool default-pool: Error deleting default node pool");
  });

  it("stays when the cluster changes, which does not delete it, and goes with the cluster or from the status by hand", () => {
    const changed = { ...ready, metadata: { ...ready.metadata, generation: 7 } };
    expect(after(changed, first)).toContainEqual(left[0]);
    const another = { ...ready, metadata: { ...ready.metadata, uid: "v" } };
    expect(after(another, first)).toEqual([{ name: "batch", desired: 3 }]);
    expect(after(ready, [])).toEqual([{ name: "batch", desired: 3 }]);
  });

  it("is told as well where the deletion was accepted and failed", () => {
    const message =
      "Update call failed: error applying desired state: summary: Error while waiting to delete default node pool: x";
    const condition = { type: "Ready", status: "False", reason: "UpdateFailed", message };
    expect(after({ ...asked, status: { conditions: [condition] } }).map(({ name }) => name)).toContain("default-pool");
  });
});
