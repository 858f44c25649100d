import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { apiPath, below } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { LEFT } from "../../../src/local/simulators/node-groups.ts";

const { kubeconfig } = inject("cluster");
const NAMESPACE = "eks-removal";
const OWN = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/kaasclusters`;
const CLUSTERS = apiPath`/apis/eks.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/clusters`;
const GROUPS = apiPath`/apis/eks.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/nodegroups`;
const ROLES = apiPath`/apis/iam.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/roles`;

let client: KubeClient;

beforeAll(async () => {
  client = createClient(await loadKubeconfig(kubeconfig, {}));
  await client.create(apiPath`/api/v1/namespaces`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: NAMESPACE },
  });
});
afterAll(() => client.close());

const within = { timeout: 60_000, interval: 100 };

/** Whether each of these resources is being deleted, by its name. */
async function deleting(path: typeof ROLES): Promise<Record<string, boolean>> {
  const { items = [] } = (await client.get<{ items?: Resource[] }>(path)) ?? {};
  return Object.fromEntries(
    items.map(({ metadata }) => [metadata.name ?? "", metadata.deletionTimestamp !== undefined]),
  );
}

const ready = (name: string): Promise<void> =>
  vi.waitFor(async () => {
    const object = await client.get<Resource>(below(OWN, name));
    expect(object?.status?.["conditions"]).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "True", reason: "Available" }),
    );
  }, within);

const systemPool = { name: "system", count: 1, cpu: 2, memory: 8 };

const create = (name: string, nodePools: object[]): Promise<unknown> =>
  client.create(OWN, {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "KaasCluster" },
    ...{ metadata: { name, namespace: NAMESPACE }, spec: { provider: "aws", nodePools } },
  });

it("deletes the roles of an EKS cluster when the cluster is gone: ACK takes their policies away first", async () => {
  await create("web", [systemPool]);
  await ready("web");
  expect(await deleting(ROLES)).toEqual({ "web-cluster": false, "web-nodes": false });
  await client.remove(below(OWN, "web"));
  const seen: Record<string, boolean>[] = [];
  await vi.waitFor(async () => {
    // The roles first: the cluster may go between the two looks.
    const [roles, clusters] = [await deleting(ROLES), await deleting(CLUSTERS)];
    if (clusters["web"] !== undefined) seen.push(roles);
    expect(clusters).toEqual({});
  }, within);
  expect(new Set(seen.map((roles) => JSON.stringify(roles)))).toEqual(
    new Set([JSON.stringify({ "web-cluster": false, "web-nodes": false })]),
  );
  await vi.waitFor(async () => {
    expect(await deleting(ROLES)).toEqual({});
    expect(await client.get(below(OWN, "web"))).toBeNull();
  }, within);
});

it("deletes a pool at EKS that is removed while its cluster changes: ACK loses one that only refers to it", async () => {
  await create("two", [systemPool, { ...systemPool, name: "batch" }]);
  await ready("two");
  const control = await client.get<Resource>(below(CLUSTERS, "two"));
  for (const name of ["two-system", "two-batch"]) {
    const { spec = {} } = (await client.get<Resource>(below(GROUPS, name))) ?? {};
    expect({ named: spec["clusterName"], refers: spec["clusterRef"] }).toEqual({
      ...{ named: control?.spec?.["name"], refers: undefined },
    });
  }
  await client.patch(below(OWN, "two"), "merge", { spec: { tags: { team: "a" }, nodePools: [systemPool] } });
  await vi.waitFor(async () => {
    expect(Object.keys(await deleting(GROUPS))).not.toContain("two-batch");
  }, within);
  const there = await client.get<Resource>(below(CLUSTERS, "two"));
  expect(there?.metadata.name).toBe("two");
  expect(there?.metadata.annotations?.[LEFT]).toBeUndefined();
  await ready("two");
  await client.remove(below(OWN, "two"));
  await vi.waitFor(async () => {
    expect(await client.get(below(OWN, "two"))).toBeNull();
  }, within);
});
