import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { ApiPath } from "../../../src/cluster/api-path.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const LIMIT = { timeout: 30_000, interval: 200 };
const COMPOSITION = "composition.krateo.io/v0-2-0";
const REFUSES = "test.example/provider-refuses";
const AZURE = { provider: "azure", schedulingLocation: "northeurope" };

type Kind = "VmTemplate" | "KaasCluster";

/** One namespace of a tenant, with a quota of so many vCPU. */
async function open(namespace: string, vcpus: string) {
  const cluster: TenantCluster = await openTenant(inject("cluster").kubeconfig, namespace, {
    "landfall.dev/quota-vcpus": vcpus,
  });
  const { client } = cluster.tenant;
  const path = (kind: Kind, name = "") =>
    `/apis/${COMPOSITION}/namespaces/${namespace}/${kind.toLowerCase()}s${name && `/${name}`}` as ApiPath;
  const create = (kind: Kind, name: string, spec: object): Promise<Resource> =>
    client.create<Resource>(path(kind), { apiVersion: COMPOSITION, kind, metadata: { name }, spec });
  const change = (kind: Kind, name: string, patch: object): Promise<Resource> =>
    client.patch<Resource>(path(kind, name), "merge", patch);
  /** Where the operator's objects of a kind are. */
  async function collection(group: string, plural: string): Promise<ApiPath> {
    const about = await cluster.admin.get<{ preferredVersion: { version: string } }>(`/apis/${group}` as ApiPath);
    return `/apis/${group}/${about?.preferredVersion.version ?? ""}/namespaces/${namespace}/${plural}` as ApiPath;
  }
  /** The names of those that exist. */
  const names = async (of: ApiPath): Promise<string[]> =>
    ((await client.get<{ items: Resource[] }>(of))?.items ?? []).map(({ metadata }) => metadata.name ?? "");
  /** Their provider refuses to delete them from now on. */
  async function lock(of: ApiPath): Promise<void> {
    for (const name of await names(of)) {
      const one = `${of}/${name}` as ApiPath;
      const finalizers = [...((await client.get<Resource>(one))?.metadata.finalizers ?? []), REFUSES];
      await client.patch(one, "merge", { metadata: { finalizers } });
    }
  }
  const ready = (kind: Kind, name: string): Promise<void> =>
    vi.waitFor(async () => {
      const { conditions } = (await client.get<Resource>(path(kind, name)))?.status ?? {};
      expect(conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
    }, LIMIT);
  return { cluster, create, change, collection, names, lock, ready };
}

type Tenant = Awaited<ReturnType<typeof open>>;

/** The controller changes the object as well: a change of an earlier version is refused for that (ADM_CONFLICT), and tried again. */
const denied = (ask: () => Promise<unknown>): Promise<void> =>
  vi.waitFor(() => expect(ask()).rejects.toThrow("POL_QUOTA"), LIMIT);

let pools: Tenant;
let moves: Tenant;

beforeAll(async () => {
  pools = await open("tenant-281", "30");
  moves = await open("tenant-282", "18");
});

afterAll(async () => {
  await pools.cluster.close();
  await moves.cluster.close();
});

it("281: pools that others replace count until their provider has deleted them", async () => {
  const { create, change, collection, names, lock, ready } = pools;
  const sys = { name: "sys", count: 1, cpu: 2, memory: 8 };
  const spec = (...workers: string[]) => ({
    nodePools: [sys, ...workers.map((name) => ({ name, count: 3, cpu: 4, memory: 16 }))],
    poolInstanceTypes: null,
  });
  const rename = (from: string, to: string) =>
    change("KaasCluster", "c", {
      metadata: { annotations: { "landfall.dev/rename-pool": `${from}=${to}` } },
      spec: spec(to),
    });
  const made = await collection("containerservice.azure.com", "managedclustersagentpools");
  const { nodePools } = spec("w1");
  await vi.waitFor(() => create("KaasCluster", "c", { ...AZURE, nodePools }), LIMIT);
  await ready("KaasCluster", "c");
  await lock(made);
  // The quota has room for both: 26 of 30.
  await vi.waitFor(() => rename("w1", "w2"), LIMIT);
  await vi.waitFor(async () => expect((await names(made)).join()).toContain("w2"), LIMIT);
  await vi.waitFor(async () => {
    await expect(create("VmTemplate", "more", { ...AZURE, cpu: 8, memory: 16 })).rejects.toThrow("26 of 30 vCPU");
  }, LIMIT);
  await lock(made);
  // No third set of nodes, neither in place of the second one nor besides.
  await denied(() => rename("w2", "w3"));
  await denied(() => change("KaasCluster", "c", { spec: spec("w2", "w3") }));
  // To take the change back adds nothing, and neither does a smaller cluster.
  await vi.waitFor(() => rename("w2", "w1"), LIMIT);
  await vi.waitFor(() => change("KaasCluster", "c", { spec: spec() }), LIMIT);
}, 40_000);

it("282: machines that moves leave at several providers count together", async () => {
  const { create, change, collection, names, lock, ready } = moves;
  const move = (provider: string, schedulingLocation: string) =>
    change("VmTemplate", "m", {
      metadata: { annotations: { "landfall.dev/allow-move": "true" } },
      spec: { provider, schedulingLocation, instanceType: null, image: null, zone: null, network: null },
    });
  await vi.waitFor(() => create("VmTemplate", "m", { ...AZURE, cpu: 8, memory: 16 }), LIMIT);
  await ready("VmTemplate", "m");
  await lock(await collection("compute.azure.com", "virtualmachines"));
  // The quota has room for both: 16 of 18.
  await vi.waitFor(() => move("gcp", "europe-west3"), LIMIT);
  const made = await collection("compute.cnrm.cloud.google.com", "computeinstances");
  await vi.waitFor(async () => expect(await names(made)).toHaveLength(1), LIMIT);
  await vi.waitFor(async () => {
    await expect(create("VmTemplate", "more", { ...AZURE, cpu: 4, memory: 8 })).rejects.toThrow("16 of 18 vCPU");
  }, LIMIT);
  await denied(() => move("aws", "eu-central-1"));
  await vi.waitFor(() => move("azure", "northeurope"), LIMIT);
}, 40_000);
