import { describe, expect, it } from "vitest";
import {
  agentPoolRefusal,
  NODES,
  nodegroupRefusal,
  nodePoolRefusal,
  poolVersion,
  RUNNING,
} from "../../../src/local/simulators/pool-versions.ts";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { TAINTS, taintsText } from "../../../src/local/simulators/node-taints.ts";
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import type { Refusal, Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, resources } from "./resources.ts";

/** What a provider says of a pool of this version while its control plane runs that one; null: it does not say yet. */
function refusal(kind: "aks" | "gke", wanted: string, running: string | null): Refusal | null {
  const [aksCluster, aksPool, gkeCluster, gkePool] = resources(`
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedCluster
metadata: {name: web}
---
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedClustersAgentPool
metadata: {name: pool}
spec: {owner: {name: web}, orchestratorVersion: "${wanted}"}
---
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerCluster
metadata: {name: web}
---
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerNodePool
metadata: {name: pool}
spec: {clusterRef: {name: web}, version: "${wanted}"}
`) as [Resource, Resource, Resource, Resource];
  if (kind === "aks") {
    const status = running === null ? {} : { currentKubernetesVersion: running };
    return agentPoolRefusal(aksPool, lookupIn([{ ...aksCluster, status }]));
  }
  const status = running === null ? {} : { masterVersion: running };
  return nodePoolRefusal(gkePool, lookupIn([{ ...gkeCluster, status }]));
}

describe("a pool that is newer than its control plane", () => {
  it("is refused by AKS for good, and by GKE until the control plane is there", () => {
    expect(refusal("aks", "1.35", "1.34.2")).toMatchObject({ code: "NodePoolMcVersionIncompatible", terminal: true });
    const gke = refusal("gke", "1.10", "1.9.7-gke.100");
    expect(gke?.terminal).toBe(false);
    expect(gke?.message).toContain('must not have a greater minor version than master version "1.9"');
  });

  it("is refused by AKS for its patch, which is the newest of a minor version, unless the pool is there", () => {
    const [cluster, pool] = resources(`
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedCluster
metadata: {name: web}
status: {currentKubernetesVersion: 1.35.0}
---
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedClustersAgentPool
metadata: {name: pool}
spec: {owner: {name: web}, orchestratorVersion: "1.35", tags: {simulate: newer-patch}}
`) as [Resource, Resource];
    const asked = (version: string, status = {}) =>
      agentPoolRefusal({ ...pool, spec: { ...pool.spec, orchestratorVersion: version }, status }, lookupIn([cluster]));
    expect(asked("1.35")?.message).toBe("Node pool version 1.35.1 and control plane version 1.35.0 are incompatible.");
    expect(asked("1.35.0")).toBeNull();
    expect(asked("1.35", { currentOrchestratorVersion: "1.35.0" })).toBeNull();
  });

  it.each([
    ["aks", "1.34", "1.34.0"],
    ["aks", "1.33", "1.34.0"],
    ["gke", "1.34", "1.34.9-gke.1"],
    ["gke", "1.9", "1.10.1-gke.1"],
    ["gke", "1.35", null],
    ["aks", "1.35", null],
  ] as const)("%s takes %s beside %s", (kind, wanted, running) => {
    expect(refusal(kind, wanted, running)).toBeNull();
  });
});

describe("the limits of a node group of EKS", () => {
  const group = (scaling: string, nodes: number | null, isScaled: boolean): Refusal | null => {
    const annotations = {
      ...(nodes === null ? {} : { [NODES]: String(nodes) }),
      ...(isScaled ? { "eks.services.k8s.aws/desired-size-managed-by": "external-autoscaler" } : {}),
    };
    const [resource] = resources(`
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Nodegroup
metadata: {name: pool, annotations: ${JSON.stringify(annotations)}}
spec: {scalingConfig: ${scaling}}
`) as [Resource];
    return nodegroupRefusal(resource, lookupIn([]));
  };

  it.each<[string, number | null, boolean, string | null]>([
    ["{minSize: 3, maxSize: 10, desiredSize: 3}", null, true, null],
    ["{minSize: 3, maxSize: 10, desiredSize: 3}", 0, true, "Minimum capacity 3 can't be greater than desired size 0"],
    ["{minSize: 1, maxSize: 2, desiredSize: 1}", 5, true, "desiredSize can't be greater than maxSize"],
    ["{minSize: 1, maxSize: 9, desiredSize: 1}", 5, true, null],
    ["{minSize: 3, maxSize: 3, desiredSize: 3}", 0, false, null],
  ])("%s with %j nodes, scaled by another: %j", (scaling, nodes, isScaled, message) => {
    const refused = group(scaling, nodes, isScaled);
    expect(refused?.message ?? null).toBe(message);
    expect(refused?.terminal ?? true).toBe(true);
  });
});

describe("the taints of a node group of EKS", () => {
  const group = (taints: string, had: string | null, more = ""): Resource => {
    const annotations = had === null ? {} : { [TAINTS]: had, [RUNNING]: "1.34" };
    return (
      resources(`
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Nodegroup
metadata: {name: pool, annotations: ${JSON.stringify(annotations)}}
spec: {taints: ${taints}, ${more}}
`) as [Resource]
    )[0];
  };
  const [SCHEDULE, EXECUTE] = ["NO_SCHEDULE", "NO_EXECUTE"].map((effect) => ({ key: "x", value: "y", effect }));
  const OTHER = { key: "z", value: "", effect: "NO_SCHEDULE" };

  it.each<[string, unknown[] | null, unknown[], unknown[]]>([
    ["a new group's", null, [SCHEDULE], [SCHEDULE]],
    ["another effect", [SCHEDULE], [EXECUTE], [EXECUTE, SCHEDULE]],
    ["one of two with a key", [SCHEDULE, EXECUTE], [SCHEDULE], [SCHEDULE, EXECUTE]],
    ["none of the key", [SCHEDULE, EXECUTE, OTHER], [OTHER], [OTHER]],
    ["a second effect", [SCHEDULE], [SCHEDULE, EXECUTE], [SCHEDULE, EXECUTE]],
  ])("%s: EKS has %j, ACK wants %j, EKS then has %j", (_name, had, wanted, has) => {
    const resource = group(JSON.stringify(wanted), had && JSON.stringify(had));
    expect(JSON.parse(taintsText(resource))).toEqual(has);
    const after = group(JSON.stringify(wanted), taintsText(resource));
    const isDone = has.length === wanted.length;
    expect(ack.conditions({ name: "ready" }, after)).toContainEqual(
      expect.objectContaining({ type: "Ready", status: isDone ? "True" : "False" }),
    );
  });

  it("keep ACK from ever asking for the version, while EKS has others", () => {
    const [had, more] = [JSON.stringify([SCHEDULE]), 'version: "1.36", releaseVersion: 1.34.4-1'];
    const [kept, done] = [EXECUTE, SCHEDULE].map((taint) => group(JSON.stringify([taint]), had, more));
    expect(kept && nodegroupRefusal(kept, lookupIn([]))).toBeNull();
    expect(done && nodegroupRefusal(done, lookupIn([]))?.message).toContain("do not match");
  });
});

describe("the version of a node pool of GKE", () => {
  const pool = (version: string): Resource =>
    (
      resources(`
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerNodePool
metadata: {name: pool}
spec: {clusterRef: {name: web}, ${version}}
`) as [Resource]
    )[0];
  const [control] = resources(`
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerCluster
metadata: {name: web}
status: {masterVersion: 1.34.7-gke.5}
`) as [Resource];

  it.each([
    ["", "1.34.7-gke.5", "True"],
    ['version: "1.34.2-gke.9"', "1.34.2-gke.9", "True"],
    ['version: "1.34"', "1.34.0-gke.100", "False"],
  ])("%j is %s, and Config Connector is done with it: %s", (version, running, ready) => {
    expect(poolVersion(pool(version), lookupIn([control]))).toBe(running);
    expect(kcc.conditions({ name: "ready" }, pool(version))).toMatchObject([{ type: "Ready", status: ready }]);
  });
});

describe("labels of a node group", () => {
  const refused = (labels: Record<string, string>): Refusal | null => {
    const [group] = resources(`
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Nodegroup
metadata: {name: pool}
spec: {labels: ${JSON.stringify(labels)}}
`) as [Resource];
    return nodegroupRefusal(group, () => undefined);
  };

  it.each(["eks.amazonaws.com/nodegroup", "kubernetes.io/role", "node-role.kubernetes.io/worker", "k8s.io/a"])(
    "%s is reserved by EKS",
    (key) => {
      const message = "Label cannot contain reserved prefixes [kubernetes.io/, k8s.io/, eks.amazonaws.com/]";
      expect(refused({ [key]: "a" })).toEqual({ code: "InvalidParameterException", message, terminal: true });
    },
  );

  it("have values", () => {
    expect(refused({ team: "" })).toMatchObject({ code: "InvalidParameterException", terminal: true });
    expect(refused({ "example.com/team": "a", "notkubernetes.io/team": "a" })).toBeNull();
  });
});
