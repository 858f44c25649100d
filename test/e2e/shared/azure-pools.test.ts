import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { apiPath, below } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";

const { kubeconfig } = inject("cluster");
const NAMESPACE = "azure-pools";
const objects = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/kaasclusters`;
const containers = apiPath`/apis/containerservice.azure.com/v1api20240901/namespaces/${NAMESPACE}`;

type Fields = Record<string, unknown>;
interface Read {
  spec: Fields;
  status?: Fields & { conditions?: { type: string; reason: string }[] };
}

let client: KubeClient;
const pools = (size: Fields) => ["first", "second"].map((name) => ({ name, cpu: 2, memory: 8, ...size }));

beforeAll(async () => {
  client = createClient(await loadKubeconfig(kubeconfig, {}));
  const metadata = { name: NAMESPACE };
  await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
});
afterAll(() => client.close());

const SIZES = ["count", "minCount", "maxCount", "enableAutoScaling"];
const sizeIn = (fields: Fields | undefined): Fields =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([key]) => SIZES.includes(key)));

/** What the first pool and the second ask of AKS, once the object is available; and how many nodes AKS shows. */
async function settled(name: string, asked: Fields, count: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const object = await client.get<Read>(below(objects, name));
      expect(object?.status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ reason: "Available" });
      const poolOf = (pool: string) =>
        client.get<Read>(below(containers, "managedclustersagentpools", `${name}-${pool}`));
      const found = [await poolOf("first"), await poolOf("second")];
      expect(found.map((pool) => sizeIn(pool?.spec))).toEqual([asked, asked]);
      expect(found.map((pool) => pool?.status?.["count"])).toEqual([count, count]);
    },
    { timeout: 90_000, interval: 200 },
  );
}

const create = (name: string, size: Fields) =>
  client.create(objects, {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "KaasCluster" },
    metadata: { name, namespace: NAMESPACE },
    spec: { provider: "azure", kubernetesVersion: "1.35", nodePools: pools(size) },
  });

it("creates pools that scale with a number of nodes, and leaves it to AKS from then on", async () => {
  await create("scales", { min: 2, max: 4 });
  await settled("scales", { enableAutoScaling: true, minCount: 2, maxCount: 4 }, 2);
});

it("lets pools of a fixed number scale, and takes that back", async () => {
  await create("changes", { count: 1 });
  await settled("changes", { enableAutoScaling: false, count: 1 }, 1);
  const change = (size: Fields) =>
    client.patch(below(objects, "changes"), "merge", { spec: { nodePools: pools(size) } });
  await change({ min: 1, max: 3 });
  await settled("changes", { enableAutoScaling: true, minCount: 1, maxCount: 3 }, 1);
  await change({ count: 2 });
  await settled("changes", { enableAutoScaling: false, count: 2 }, 2);
});

it("reports no error of the provider", async () => {
  const events = await client.get<{ items: { type: string; reason: string; message: string }[] }>(
    apiPath`/api/v1/namespaces/${NAMESPACE}/events`,
  );
  const warnings = (events?.items ?? []).filter(({ type }) => type === "Warning");
  expect(warnings.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([]);
});
