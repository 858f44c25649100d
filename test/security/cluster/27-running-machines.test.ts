import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const NAMESPACE = "tenant-27";
const LIMIT = { timeout: 60_000, interval: 200 };
const COMPOSITION = "composition.krateo.io/v0-1-0";
const FULL = /uses 16 of 16 vCPU/;

let admin: KubeClient & TextClient;
let tenant: Tenant;

const objects = (name = "") => `/apis/${COMPOSITION}/namespaces/${NAMESPACE}/vmtemplates${name && `/${name}`}`;
const machine = (name: string) =>
  `/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/computeinstances/${name}`;

beforeAll(async () => {
  const { kubeconfig } = inject("cluster");
  admin = textClient(createClient(await loadKubeconfig(kubeconfig, {})));
  tenant = await createTenant(kubeconfig, NAMESPACE);
  const annotations = { "landfall.dev/quota-vcpus": "16" };
  await admin.patch(`/api/v1/namespaces/${NAMESPACE}`, "merge", { metadata: { annotations } });
});

afterAll(async () => {
  await tenant.close();
  await admin.close();
});

const create = (name: string, cpu: number): Promise<Resource> =>
  tenant.client.create<Resource>(objects(), {
    ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name } },
    spec: { cpu, memory: 4, provider: "gcp", schedulingLocation: "europe-west1" },
  });

const change = (name: string, patch: object): Promise<Resource> =>
  tenant.client.patch<Resource>(objects(name), "merge", patch);

const typeOf = async (name: string): Promise<unknown> =>
  ((await tenant.client.get<Resource>(machine(name))) as { spec?: { machineType?: string } } | null)?.spec?.machineType;

async function install(name: string, cpu: number): Promise<unknown> {
  await vi.waitFor(() => create(name, cpu), LIMIT);
  return vi.waitFor(async () => {
    const object = await tenant.client.get<Resource>(objects(name));
    expect(object?.status?.["managed"]).toBeDefined();
    return typeOf(name);
  }, LIMIT);
}

async function remove(name: string): Promise<void> {
  await tenant.client.remove(objects(name));
  await vi.waitFor(async () => expect(await tenant.client.get(objects(name))).toBeNull(), LIMIT);
}

it("a machine counts as large as it runs, although its object was paused and asks for less", async () => {
  const type = await install("big", 16);
  await change("big", { metadata: { annotations: { "krateo.io/paused": "true" } }, spec: { cpu: 1, memory: 1 } });
  await vi.waitFor(async () => {
    const object = await tenant.client.get<Resource>(objects("big"));
    expect(JSON.stringify(object?.status)).toContain("ReconcilePaused");
  }, LIMIT);
  await expect(create("more", 8)).rejects.toThrow(FULL);
  expect(await typeOf("big")).toBe(type);
  await change("big", { metadata: { annotations: { "krateo.io/paused": null } } });
  await install("more", 8);
  expect(await typeOf("big")).not.toBe(type);
  await Promise.all(["big", "more"].map(remove));
});

it("labels that name a foreign chart do not stop the controller", async () => {
  const type = await install("big", 16);
  const labels = { "krateo.io/composition-version": "v9", "krateo.io/composition-definition-name": "nobody" };
  await change("big", { metadata: { labels }, spec: { cpu: 1, memory: 1 } });
  await vi.waitFor(async () => expect(await typeOf("big")).not.toBe(type), LIMIT);
  const object = await tenant.client.get<Resource>(objects("big"));
  expect(object?.metadata.labels).not.toMatchObject(labels);
  await remove("big");
});
