import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const NAMESPACE = "tenant-98";
const LIMIT = { timeout: 60_000, interval: 200 };
const COMPOSITION = "composition.krateo.io/v0-1-0";
const PATH = `/apis/${COMPOSITION}/namespaces/${NAMESPACE}`;

let cluster: TenantCluster;

beforeAll(async () => {
  cluster = await openTenant(inject("cluster").kubeconfig, NAMESPACE, { "landfall.dev/quota-vcpus": "8" });
});

afterAll(() => cluster.close());

const create = (kind: "VmTemplate" | "KaasCluster", name: string, spec: object): Promise<Resource> =>
  cluster.tenant.client.create<Resource>(`${PATH}/${kind.toLowerCase()}s`, {
    ...{ apiVersion: COMPOSITION, kind, metadata: { name } },
    spec: { provider: "aws", schedulingLocation: "eu-south-1", ...spec },
  });

const installed = (path: string): Promise<void> =>
  vi.waitFor(async () => {
    expect((await cluster.tenant.client.get<Resource>(path))?.status?.["managed"]).toBeDefined();
  }, LIMIT);

/** The revision is deployed, so that Landfall's record names no other. */
const deployed = (revision: number): Promise<void> =>
  vi.waitFor(async () => {
    const secrets = await cluster.tenant.client.get<{ items: Resource[] }>(`/api/v1/namespaces/${NAMESPACE}/secrets`);
    const labels = (secrets?.items ?? []).map(({ metadata }) => metadata.labels ?? {});
    expect(labels).toContainEqual(expect.objectContaining({ version: String(revision), status: "deployed" }));
  }, LIMIT);

it("98: a machine of AWS counts as large as it runs, whatever its object asks for since", async () => {
  const path = `${PATH}/vmtemplates/big`;
  await vi.waitFor(() => create("VmTemplate", "big", { cpu: 8, memory: 32 }), LIMIT);
  await installed(path);
  await cluster.tenant.client.patch(path, "merge", { spec: { cpu: 2, memory: 4 } });
  await deployed(2);
  const annotations = { "landfall.dev/allow-move": "true" };
  await cluster.tenant.client.patch(path, "merge", { metadata: { annotations }, spec: { cpu: 1, memory: 2 } });
  await deployed(3);
  // The webhook sees the record a moment later.
  for (let index = 0; index < 10; index += 1) {
    await expect(create("VmTemplate", "second", { cpu: 2, memory: 4 })).rejects.toThrow("POL_QUOTA");
    await sleep(200);
  }
  await cluster.tenant.client.remove(path);
  await vi.waitFor(async () => expect(await cluster.tenant.client.get(path)).toBeNull(), LIMIT);
}, 120_000);

it("98: the nodes of a pool cannot be asked for smaller than they are", async () => {
  const nodePools = [{ name: "system", count: 2, cpu: 4, memory: 16 }];
  await vi.waitFor(() => create("KaasCluster", "pools", { nodePools }), LIMIT);
  const path = `${PATH}/kaasclusters/pools`;
  await installed(path);
  const lower = (pool: object): Promise<unknown> =>
    cluster.tenant.client.patch(path, "merge", { spec: { nodePools: [{ ...nodePools[0], ...pool }] } });
  await expect(lower({ cpu: 1 })).rejects.toThrow("ADM_POOL_FIXED");
  await expect(lower({ memory: 4 })).rejects.toThrow("ADM_POOL_FIXED");
  await lower({ count: 1 });
}, 120_000);
