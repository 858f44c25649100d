import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { apiPath, below } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";

const { kubeconfig } = inject("cluster");
const NAMESPACE = "cluster-faults";
const objects = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/kaasclusters`;

interface Read {
  status?: {
    providerState?: string;
    pools?: { name: string; error?: string }[];
    conditions?: { type: string; reason: string; message: string }[];
  };
}

let client: KubeClient;

beforeAll(async () => {
  client = createClient(await loadKubeconfig(kubeconfig, {}));
  const metadata = { name: NAMESPACE };
  await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
});
afterAll(() => client.close());

const create = (name: string, provider: string, simulate: string) =>
  client.create(objects, {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "KaasCluster" },
    metadata: { name, namespace: NAMESPACE },
    spec: { provider, tags: { simulate }, nodePools: [{ name: "first", count: 1, cpu: 2, memory: 8 }] },
  });

/** The status of the object once it has these words in Ready, and these pools with an error. */
async function settled(
  name: string,
  reason: string,
  failed: readonly string[],
  timeout = 90_000,
): Promise<Read["status"]> {
  return vi.waitFor(
    async () => {
      const { status } = (await client.get<Read>(below(objects, name))) ?? {};
      expect(status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ reason });
      const errors = (status?.pools ?? []).filter(({ error }) => error !== undefined);
      expect(errors.map((pool) => pool.name)).toEqual(failed);
      return status;
    },
    { timeout, interval: 200 },
  );
}

it("keeps the error of a default pool that GKE does not delete, until someone removes it from the status", async () => {
  await create("left", "gcp", "default-pool-stays");
  const status = await settled("left", "PoolErrors", ["default-pool"]);
  expect(JSON.stringify(status?.conditions)).toContain("pool default-pool: Error deleting default node pool");
  let attempts = 0;
  await vi.waitFor(
    async () => {
      attempts += 1;
      // A change of the status alone starts no reconcile, and one that is underway writes what it read before.
      await client.patch(below(objects, "left", "status"), "merge", { status: { pools: [] } });
      const annotations = { "example.org/seen": String(attempts) };
      await client.patch(below(objects, "left"), "merge", { metadata: { annotations } });
      await settled("left", "Available", [], 5_000);
    },
    { timeout: 60_000, interval: 200 },
  );
});

it("says that AKS has a cluster which it accepted and could not make", async () => {
  await create("failed", "azure", "fails-later");
  await vi.waitFor(
    async () => expect((await settled("failed", "ProviderCapacity", []))?.providerState).toBe("Failed"),
    { timeout: 90_000, interval: 200 },
  );
});
