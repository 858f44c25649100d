import { describe, expect, it } from "vitest";
import { clusterStatus } from "../../../../src/composition/status/cluster-status.ts";
import type { Found } from "../../../../src/composition/status/summarise-readiness.ts";

type Fields = Record<string, unknown>;

const READY = [{ type: "Ready", status: "True", reason: "Succeeded", message: "" }];
const SYNCED = [{ type: "ACK.ResourceSynced", status: "True" }];

function found(
  apiVersion: string,
  kind: string,
  name: string,
  { spec = {}, status = {} }: { spec?: Fields; status?: Fields },
): Found {
  return { apiVersion, kind, name, live: { apiVersion, kind, metadata: { name }, spec, status } };
}

describe("the status of a managed cluster", () => {
  it("on Azure has the cluster's own pool and the separate pools", () => {
    const group = "containerservice.azure.com/v1api20240901";
    const cluster = found(group, "ManagedCluster", "web", {
      spec: {
        agentPoolProfiles: [{ name: "system", count: 2 }],
        operatorSpec: { secrets: { userCredentials: { name: "web-kubeconfig" } } },
      },
      status: { conditions: READY, fqdn: "web.example", currentKubernetesVersion: "1.35.2" },
    });
    const batch = found(group, "ManagedClustersAgentPool", "web-batch", {
      spec: { azureName: "batch", minCount: 3, maxCount: 9 },
      status: { conditions: READY, count: 2 },
    });
    const slow = found(group, "ManagedClustersAgentPool", "web-slow", { spec: { azureName: "slow", count: 4 } });
    expect(clusterStatus([cluster, batch, slow])).toEqual({
      endpoint: "https://web.example",
      version: "1.35.2",
      pools: [
        { name: "system", desired: 2, ready: 2 },
        { name: "batch", desired: 3, ready: 2 },
        { name: "slow", desired: 4, ready: 0 },
      ],
      kubeconfigSecret: "web-kubeconfig",
    });
  });

  it("on Azure has a pool once that stands in the new cluster as well", () => {
    const group = "containerservice.azure.com/v1api20240901";
    const cluster = found(group, "ManagedCluster", "web", {
      spec: { agentPoolProfiles: [{ name: "system", count: 1 }] },
      status: { conditions: READY },
    });
    const system = found(group, "ManagedClustersAgentPool", "web-system", {
      spec: { azureName: "system", count: 3 },
      status: { conditions: READY, count: 2 },
    });
    expect(clusterStatus([cluster, system])?.pools).toEqual([{ name: "system", desired: 3, ready: 2 }]);
  });

  it("on AWS names the Secret of the chart", () => {
    const group = "eks.services.k8s.aws/v1alpha1";
    const cluster = found(group, "Cluster", "web", {
      spec: { version: "1.35" },
      status: { conditions: SYNCED, endpoint: "https://k.eks.example" },
    });
    const pool = found(group, "Nodegroup", "web-a", {
      spec: { name: "a", scalingConfig: { desiredSize: 2 } },
      status: { conditions: SYNCED },
    });
    const secret = found("v1", "Secret", "web-kubeconfig", {});
    expect(clusterStatus([cluster, pool, secret])).toEqual({
      endpoint: "https://k.eks.example",
      version: "1.35",
      pools: [{ name: "a", desired: 2, ready: 2 }],
      kubeconfigSecret: "web-kubeconfig",
    });
  });

  it("on Google Cloud calls no node ready, and omits unknown fields", () => {
    const group = "container.cnrm.cloud.google.com/v1beta1";
    const cluster = found(group, "ContainerCluster", "web", { spec: { minMasterVersion: "1.35" } });
    const pool = (spec: Fields, status: Fields = {}) =>
      found(group, "ContainerNodePool", "web-a", {
        spec: { resourceID: "a", location: "europe-west1", ...spec },
        status: { conditions: READY, ...status },
      });
    const pools = (one: Found) => clusterStatus([cluster, one])?.pools;
    expect(clusterStatus([cluster])).toEqual({ pools: [] });
    // No one counts them, and GKE may have fewer than the minimum.
    expect(pools(pool({ autoscaling: { totalMinNodeCount: 3, totalMaxNodeCount: 6 }, initialNodeCount: 1 }))).toEqual([
      { name: "a", desired: 3 },
    ]);
    expect(pools(pool({ nodeCount: 2 }))).toEqual([{ name: "a", desired: 6 }]);
    expect(pools(pool({ nodeCount: 2 }, { instanceGroupUrls: ["1", "2"] }))).toEqual([{ name: "a", desired: 4 }]);
    const named = { nodeCount: 2, nodeLocations: ["europe-west1-b", "europe-west1-c"] };
    expect(pools(pool(named, { instanceGroupUrls: [] }))).toEqual([{ name: "a", desired: 4 }]);
    expect(pools(pool({ nodeCount: 2, location: "europe-west1-b" }, { conditions: [] }))).toEqual([
      { name: "a", desired: 2 },
    ]);
  });

  it("on Elemento reads all fields from one object", () => {
    const cluster = found("elemento.landfall.dev/v1alpha1", "ElementoKaas", "web", {
      spec: { nodePools: [{ name: "workers", desiredNodes: 3 }], kubeconfigSecret: { name: "web-kubeconfig" } },
      status: { conditions: READY, endpoint: "https://e.example", kubernetesVersion: "1.34" },
    });
    expect(clusterStatus([cluster])).toEqual({
      endpoint: "https://e.example",
      version: "1.34",
      pools: [{ name: "workers", desired: 3, ready: 3 }],
      kubeconfigSecret: "web-kubeconfig",
    });
  });

  describe("on AWS, whose operator has no version in the status, shows of the versions", () => {
    const TIMES = { before: "2026-11-23T08:00:00Z", after: "2026-11-23T09:00:00Z" };
    const eks = (version: string, conditions: Fields[], annotations: Record<string, string> = {}) => {
      const one = found("eks.services.k8s.aws/v1alpha1", "Cluster", "web", {
        spec: { version },
        status: { conditions },
      });
      return { ...one, live: one.live && { ...one.live, metadata: { name: "web", annotations } } };
    };
    const synced = (status: string, lastTransitionTime: string) => ({
      ...{ type: "ACK.ResourceSynced", status, lastTransitionTime },
    });
    const mark = { "landfall.dev/upgrades": JSON.stringify({ from: "1.34", synced: TIMES.before }) };
    const refused = { type: "ACK.Recoverable", status: "True", message: "InvalidStateException: Upgrade readiness…" };
    const noType = "InvalidParameterException: The type for cluster update was not provided.";
    const ofAutoMode = { type: "ACK.Recoverable", status: "True", message: noType };
    const behind = "desired cluster version is less than the observed version: 1.34 < 1.35";
    const ended = { type: "ACK.Terminal", status: "True", message: behind };

    it.each<[string, Found, string | undefined]>([
      ["none of one that is being made", eks("1.35", [synced("False", TIMES.before)]), undefined],
      ["the spec's of one that is synced", eks("1.35", [synced("True", TIMES.after)]), "1.35"],
      ["the one before an upgrade that ACK has not seen", eks("1.35", [synced("True", TIMES.before)], mark), "1.34"],
      ["the one before an upgrade", eks("1.35", [synced("False", TIMES.after)], mark), "1.34"],
      [
        "the one before an upgrade that is refused",
        eks("1.35", [synced("Unknown", TIMES.after), refused], mark),
        "1.34",
      ],
      [
        "the one before an upgrade that is refused while ACK calls the cluster synced, as it does",
        eks("1.35", [synced("True", TIMES.after), refused, { type: "Ready", status: "False" }], mark),
        "1.34",
      ],
      [
        "the one before an upgrade while the cluster is not Ready",
        eks("1.35", [synced("True", TIMES.after), { type: "Ready", status: "False" }], mark),
        "1.34",
      ],
      [
        "the one after an upgrade of a cluster whose other fields EKS refuses always",
        eks("1.35", [synced("True", TIMES.after), ofAutoMode, { type: "Ready", status: "False" }], mark),
        "1.35",
      ],
      ["the one after an upgrade", eks("1.35", [synced("True", TIMES.after)], mark), "1.35"],
      ["the one to which EKS upgraded it", eks("1.34", [synced("False", TIMES.after), ended]), "1.35"],
      [
        "none where the mark is no JSON",
        eks("1.35", [synced("False", "")], { "landfall.dev/upgrades": "{" }),
        undefined,
      ],
    ])("%s", (_name, cluster, version) => {
      expect(clusterStatus([cluster])?.version).toBe(version);
    });
  });

  it("is absent without a cluster", () => {
    expect(clusterStatus([found("compute.azure.com/v1", "VirtualMachine", "web", {})])).toBeNull();
  });
});

describe("the status of a cluster in whose place another one is made", () => {
  const GKE = "container.cnrm.cloud.google.com/v1beta1";
  const plane = (uid: string, status: Fields): Found => ({
    ...{ apiVersion: GKE, kind: "ContainerCluster", name: "web" },
    live: { apiVersion: GKE, kind: "ContainerCluster", metadata: { name: "web", uid }, status },
  });
  const before = clusterStatus([plane("a", { endpoint: "192.0.2.1", masterVersion: "1.35.2-gke.100" })]) ?? {};

  it("forgets what it knows of the first, until its provider says it of the second", () => {
    expect(before).toMatchObject({ clusterUid: "a", endpoint: "https://192.0.2.1", version: "1.35.2-gke.100" });
    const status = { ...before };
    expect(clusterStatus([plane("b", {})], status)).toEqual({
      ...{ clusterUid: "b", endpoint: null, version: null, pools: [] },
    });
    const next = { endpoint: "192.0.2.2" };
    expect(clusterStatus([plane("b", next)], status)).toMatchObject({ endpoint: "https://192.0.2.2", version: null });
  });

  it("keeps what it knows of the same cluster, or of one whose uid no one wrote down", () => {
    expect(clusterStatus([plane("a", {})], { ...before })).toEqual({ clusterUid: "a", pools: [] });
    const { clusterUid: _, ...unnamed } = before as Fields;
    expect(clusterStatus([plane("b", {})], unnamed)).toEqual({ clusterUid: "b", pools: [] });
  });
});
