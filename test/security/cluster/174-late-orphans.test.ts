import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const NAMESPACE = "tenant-174";
const COMPOSITION = "composition.krateo.io/v0-1-0";
const PATH = `/apis/${COMPOSITION}/namespaces/${NAMESPACE}/vmtemplates`;
const LIMIT = { timeout: 60_000, interval: 200 };
const FINALIZER = "tenant.example/held";

let cluster: TenantCluster;

beforeAll(async () => {
  cluster = await openTenant(inject("cluster").kubeconfig, NAMESPACE, {});
});

afterAll(() => cluster.close());

const annotate = (policy: string | null): Promise<Resource> =>
  cluster.tenant.client.patch<Resource>(`${PATH}/web`, "merge", {
    metadata: { annotations: { "krateo.io/deletion-policy": policy } },
  });

it("174: an object that is being deleted cannot be told to leave its resources behind", async () => {
  const { client } = cluster.tenant;
  const object = {
    ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name: "web", finalizers: [FINALIZER] } },
    spec: { cpu: 2, memory: 8, provider: "azure", schedulingLocation: "swedencentral" },
  };
  await vi.waitFor(() => client.create(PATH, object), LIMIT);
  await client.remove(`${PATH}/web`);
  await expect(annotate("orphan")).rejects.toThrow("ADM_ORPHAN_LATE");
  await annotate("delete");
  await expect(annotate("orphan")).rejects.toThrow("ADM_ORPHAN_LATE");
  await annotate(null);
  const { metadata } = (await client.get<Resource>(`${PATH}/web`)) ?? {};
  const finalizers = (metadata?.finalizers ?? []).filter((one) => one !== FINALIZER);
  await client.patch(`${PATH}/web`, "merge", { metadata: { finalizers } });
  await vi.waitFor(async () => expect(await client.get(`${PATH}/web`)).toBeNull(), LIMIT);
}, 120_000);
