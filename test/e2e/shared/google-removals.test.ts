import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { apiPath, type ApiPath, below } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";

const { kubeconfig } = inject("cluster");
const NAMESPACE = "google-removals";
const own = (plural: string): ApiPath => apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/${plural}`;
const INSTANCES = apiPath`/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/computeinstances`;
const POOLS = apiPath`/apis/container.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/containernodepools`;
const TAINT = { key: "dedicated", value: "x", effect: "NoSchedule" };

interface Read {
  spec: Record<string, unknown>;
  status?: { conditions?: { type: string; status: string; reason: string }[] };
}

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

/** The specs of these resources, once the object is available. */
async function specsOf(plural: string, kinds: ApiPath): Promise<Record<string, unknown>[]> {
  const object = await client.get<Read>(below(own(plural), plural));
  expect(object?.status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ reason: "Available" });
  return ((await client.get<{ items: Read[] }>(kinds))?.items ?? []).map(({ spec }) => spec);
}

const within = { timeout: 60_000, interval: 200 };
const create = (plural: string, kind: string, spec: object): Promise<unknown> =>
  client.create(own(plural), {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind, metadata: { name: plural, namespace: NAMESPACE } },
    spec,
  });
const change = (plural: string, spec: object): Promise<unknown> =>
  client.patch(below(own(plural), plural), "merge", { spec });

/** Config Connector keeps at Google Cloud what no one manages in its spec; an empty list is managed. */
describe("what is removed on Google Cloud is an empty list", () => {
  it("for the last disk of a machine", async () => {
    const disks = [{ name: "data", sizeGiB: 10 }];
    await create("vmtemplates", "VmTemplate", { cpu: 2, memory: 4, provider: "gcp", disks });
    await vi.waitFor(
      async () => expect(await specsOf("vmtemplates", INSTANCES)).toMatchObject([{ attachedDisk: [{}] }]),
      within,
    );
    await change("vmtemplates", { disks: [] });
    await vi.waitFor(
      async () => expect(await specsOf("vmtemplates", INSTANCES)).toMatchObject([{ attachedDisk: [] }]),
      within,
    );
  });

  it("for the last taint of a pool", async () => {
    const pool = { name: "system", count: 1, cpu: 2, memory: 8 };
    const taints = async (): Promise<unknown[]> =>
      (await specsOf("kaasclusters", POOLS)).map(({ nodeConfig }) => (nodeConfig as { taint?: unknown }).taint);
    const nodePools = [pool, { ...pool, name: "batch", taints: [TAINT] }];
    await create("kaasclusters", "KaasCluster", { provider: "gcp", nodePools });
    await vi.waitFor(
      async () => expect(await taints()).toEqual(expect.arrayContaining([undefined, [expect.anything()]])),
      within,
    );
    await change("kaasclusters", { nodePools: [pool, { ...pool, name: "batch" }] });
    await vi.waitFor(async () => expect(await taints()).toEqual(expect.arrayContaining([undefined, []])), within);
  });
});
