import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { readReleaseMark } from "../../../src/model/decision-annotation/system-secrets.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const LIMIT = { timeout: 30_000, interval: 200 };
const COMPOSITION = "composition.krateo.io/v0-2-0";
const NAMESPACE = "tenant-280";
const REFUSES = "test.example/provider-refuses";
const objects = (name = "") => `/apis/${COMPOSITION}/namespaces/${NAMESPACE}/vmtemplates${name && `/${name}`}` as const;
const machine = (name: string) =>
  `/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/computeinstances/${name}` as const;

let cluster: TenantCluster;

beforeAll(async () => {
  cluster = await openTenant(inject("cluster").kubeconfig, NAMESPACE, { "landfall.dev/quota-vcpus": "10" });
});

afterAll(async () => {
  await cluster.close();
});

const create = (name: string): Promise<Resource> =>
  cluster.tenant.client.create<Resource>(objects(), {
    ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name } },
    spec: { provider: "gcp", schedulingLocation: "europe-west3", cpu: 8, memory: 32 },
  });

/** vCPU of each record of this namespace, by its kind. */
async function recorded(): Promise<Record<string, number[]>> {
  const list = await cluster.admin.get<{ items: Resource[] }>("/api/v1/namespaces/landfall-system/secrets");
  const own = (list?.items ?? []).filter((secret) => readReleaseMark(secret)?.namespace === NAMESPACE);
  const kindOf = ({ metadata: { name = "" } }: Resource): string => name.split(".").slice(0, 2).join(".");
  return Object.fromEntries(
    own.map((secret) => [kindOf(secret), readReleaseMark(secret)?.running.map(({ vcpus }) => vcpus) ?? []]),
  );
}

it("280: a machine that its provider still deletes counts, also if the object's finalizer is taken away", async () => {
  const { client } = cluster.tenant;
  await vi.waitFor(() => create("one"), LIMIT);
  await vi.waitFor(
    async () => expect((await client.get<Resource>(objects("one")))?.status?.["managed"]).toBeDefined(),
    LIMIT,
  );
  const live = await client.get<Resource>(machine("one"));
  // A provider that takes minutes for a deletion, or refuses it because of a lock in the tenant's own account.
  await client.patch(machine("one"), "merge", {
    metadata: { finalizers: [...(live?.metadata.finalizers ?? []), REFUSES] },
  });
  await client.remove(objects("one"));
  await vi.waitFor(async () => {
    const status = (await client.get<Resource>(objects("one")))?.status;
    expect(JSON.stringify(status?.["conditions"])).toContain("REL_DELETE_BLOCKED");
  }, LIMIT);
  expect(await recorded()).toEqual({ "landfall.removed": [8] });
  await expect(create("more")).rejects.toThrow("POL_QUOTA");
  await client.patch(objects("one"), "merge", { metadata: { finalizers: null } });
  await vi.waitFor(async () => expect(await client.get(objects("one"))).toBeNull(), LIMIT);
  // Longer than the controller takes to look at it again, and at an object of the same name as well.
  await new Promise((resolve) => setTimeout(resolve, 7000));
  await expect(create("more")).rejects.toThrow("POL_QUOTA");
  await expect(create("one")).rejects.toThrow("POL_QUOTA");
  // It counts no more as soon as its provider has deleted it.
  await client.patch(machine("one"), "merge", { metadata: { finalizers: null } });
  await vi.waitFor(async () => expect(await recorded()).toEqual({}), LIMIT);
  await vi.waitFor(() => create("more"), LIMIT);
}, 40_000);
