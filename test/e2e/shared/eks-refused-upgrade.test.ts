import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { apiPath, type ApiPath } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";

const NAMESPACE = "eks-refused-upgrade";
const OBJECTS = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/kaasclusters`;
const OBJECT = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/kaasclusters/web`;
const CONTROL = apiPath`/apis/eks.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/clusters`;
const POOLS = apiPath`/apis/eks.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/nodegroups`;
const WAIT = { timeout: 60_000, interval: 200 };

interface Read {
  metadata: { annotations?: Record<string, string> };
  spec: Record<string, unknown>;
  status?: { version?: string; conditions?: { type: string; status: string; message?: string }[] };
}

let client: KubeClient;

beforeAll(async () => {
  client = createClient(await loadKubeconfig(inject("cluster").kubeconfig, {}));
  const metadata = { name: NAMESPACE };
  await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
});
afterAll(() => client.close());

const statusOf = ({ status }: Read, type: string): string | undefined =>
  status?.conditions?.find((one) => one.type === type)?.status;

async function itemsOf(path: ApiPath): Promise<Read[]> {
  return (await client.get<{ items: Read[] }>(path))?.items ?? [];
}

const versions = async (path: ApiPath): Promise<unknown[]> => (await itemsOf(path)).map(({ spec }) => spec["version"]);

/** Once the object is Ready with this version. */
const isThere = (version: string): Promise<void> =>
  vi.waitFor(async () => {
    const object = await client.get<Read>(OBJECT);
    expect(object && statusOf(object, "Ready")).toBe("True");
    expect(object?.status?.version).toBe(version);
  }, WAIT);

it("keeps the pools of an EKS cluster while EKS refuses its upgrade, and continues when it takes it", async () => {
  const pool = { name: "first", count: 1, cpu: 2, memory: 8 };
  await client.create(OBJECTS, {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "KaasCluster" },
    metadata: { name: "web", namespace: NAMESPACE },
    spec: { provider: "aws", kubernetesVersion: "1.34", nodePools: [pool], tags: { simulate: "upgrade-refused" } },
  });
  await isThere("1.34");
  await client.patch(OBJECT, "merge", { spec: { kubernetesVersion: "1.35" } });
  const times = new Set<string>();
  await vi.waitFor(async () => {
    const [control] = await itemsOf(CONTROL);
    expect(
      control && ["ACK.ResourceSynced", "ACK.Recoverable", "Ready"].map((type) => statusOf(control, type)),
    ).toEqual([...["True", "True", "False"]]);
    // ACK has tried more than once, and called it synced each time.
    times.add(JSON.stringify(control?.status?.conditions));
    expect(times.size).toBeGreaterThan(2);
  }, WAIT);
  expect(await versions(CONTROL)).toEqual(["1.35"]);
  expect(await versions(POOLS)).toEqual(["1.34"]);
  expect((await client.get<Read>(OBJECT))?.status?.version).toBe("1.34");
  await client.patch(OBJECT, "merge", { spec: { tags: { simulate: null } } });
  await isThere("1.35");
  await vi.waitFor(async () => expect(await versions(POOLS)).toEqual(["1.35"]), WAIT);
  const [control] = await itemsOf(CONTROL);
  expect(control?.metadata.annotations).not.toHaveProperty(["landfall.dev/upgrades"]);
});
