import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { readReleaseMark } from "../../../src/model/decision-annotation/system-secrets.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const LIMIT = { timeout: 90_000, interval: 250 };
const COMPOSITION = "composition.krateo.io/v0-1-0";
const QUOTA = { "landfall.dev/quota-vcpus": "10" };
const ALLOW = { "landfall.dev/allow-move": "true" };

type Kind = "VmTemplate" | "KaasCluster";

/** One namespace of a tenant, with a quota of 10 vCPU. */
async function open(namespace: string) {
  const cluster: TenantCluster = await openTenant(inject("cluster").kubeconfig, namespace, QUOTA);
  const { client } = cluster.tenant;
  const path = (kind: Kind, name = "") =>
    `/apis/${COMPOSITION}/namespaces/${namespace}/${kind.toLowerCase()}s${name && `/${name}`}`;
  const create = (kind: Kind, metadata: object, spec: object): Promise<Resource> =>
    client.create<Resource>(path(kind), { apiVersion: COMPOSITION, kind, metadata, spec });
  const change = (kind: Kind, name: string, patch: object): Promise<Resource> =>
    client.patch<Resource>(path(kind, name), "merge", patch);
  const conditions = async (kind: Kind, name: string): Promise<string> =>
    JSON.stringify((await client.get<Resource>(path(kind, name)))?.status?.["conditions"] ?? []);
  const ready = (kind: Kind, name: string): Promise<void> =>
    vi.waitFor(async () => {
      expect(await conditions(kind, name)).toMatch(/"status":"True","type":"Ready"|"type":"Ready","status":"True"/);
    }, LIMIT);
  /** vCPU by place, as Landfall recorded for all releases of this namespace. */
  async function recorded(): Promise<Record<string, number>> {
    const list = await cluster.admin.get<{ items: Resource[] }>("/api/v1/namespaces/landfall-system/secrets");
    const marks = (list?.items ?? []).map(readReleaseMark).filter((mark) => mark?.namespace === namespace);
    const sizes = marks.flatMap((mark) => mark?.running ?? []);
    return Object.fromEntries(sizes.map(({ place, vcpus }) => [place, vcpus]));
  }
  const remove = async (kind: Kind, name: string): Promise<void> => {
    await client.remove(path(kind, name));
    await vi.waitFor(async () => expect(await client.get(path(kind, name))).toBeNull(), LIMIT);
  };
  return { cluster, path, create, change, conditions, ready, recorded, remove };
}

type Tenant = Awaited<ReturnType<typeof open>>;

const tenants: Tenant[] = [];

beforeAll(async () => {
  for (const name of ["tenant-172", "demo-172", "pools-172"]) tenants.push(await open(name));
});

afterAll(async () => {
  for (const { cluster } of tenants) await cluster.close();
});

const tenantAt = (index: number): Tenant => tenants[index] as Tenant;

const AZURE = { provider: "azure", schedulingLocation: "northeurope" };

it("172: a machine counts as it runs where its provider refused a move with another size", async () => {
  const { create, change, conditions, ready, recorded } = tenantAt(0);
  const spec = { cpu: 8, memory: 16, ...AZURE };
  await vi.waitFor(() => create("VmTemplate", { name: "big" }, spec), LIMIT);
  await ready("VmTemplate", "big");
  expect(await recorded()).toEqual({ "azure/northeurope": 8 });
  await change("VmTemplate", "big", {
    metadata: { annotations: ALLOW },
    spec: { cpu: 1, memory: 2, schedulingLocation: "swedencentral", instanceType: null },
  });
  await vi.waitFor(async () => expect(await conditions("VmTemplate", "big")).toContain("not allowed"), LIMIT);
  await vi.waitFor(async () => expect(await recorded()).toMatchObject({ "azure/swedencentral": 1 }), LIMIT);
  expect(await recorded()).toMatchObject({ "azure/northeurope": 8 });
  await expect(create("VmTemplate", { name: "more" }, spec)).rejects.toThrow("POL_QUOTA");
  // The place that it never reached is let go when the change is taken back.
  await change("VmTemplate", "big", { spec: { ...spec, instanceType: null } });
  await ready("VmTemplate", "big");
  await vi.waitFor(async () => expect(await recorded()).toEqual({ "azure/northeurope": 8 }), LIMIT);
  // What its provider can change counts less as soon as it did.
  await change("VmTemplate", "big", { spec: { cpu: 2, memory: 4, instanceType: null } });
  await vi.waitFor(async () => expect(await recorded()).toEqual({ "azure/northeurope": 2 }), LIMIT);
  await vi.waitFor(() => create("VmTemplate", { name: "more" }, spec), LIMIT);
}, 240_000);

it("172: a machine that another object took over counts as it runs", async () => {
  const { create, ready, recorded, remove, cluster, path } = tenantAt(1);
  const place = { provider: "aws", schedulingLocation: "eu-south-1" };
  const orphan = { "krateo.io/deletion-policy": "orphan" };
  await vi.waitFor(
    () => create("VmTemplate", { name: "web", annotations: orphan }, { cpu: 8, memory: 32, ...place }),
    LIMIT,
  );
  await ready("VmTemplate", "web");
  const object = await cluster.tenant.client.get<Resource>(path("VmTemplate", "web"));
  const release = object?.metadata.labels?.["krateo.io/release-name"] ?? "";
  await remove("VmTemplate", "web");
  const labels = { "krateo.io/release-name": release };
  await vi.waitFor(() => create("VmTemplate", { name: "web", labels }, { cpu: 1, memory: 2, ...place }), LIMIT);
  await vi.waitFor(async () => {
    const list = await cluster.tenant.client.get<Resource>(path("VmTemplate", "web"));
    expect(list?.status?.["managed"]).toBeDefined();
  }, LIMIT);
  await expect(create("VmTemplate", { name: "more" }, { cpu: 8, memory: 32, ...place })).rejects.toThrow("POL_QUOTA");
  expect(await recorded()).toEqual({ "aws/eu-south-1": 8 });
}, 240_000);

it("172: a cluster counts as it runs where its provider refused a move with smaller pools", async () => {
  const { create, change, conditions, ready, recorded } = tenantAt(2);
  const pools = (cpu: number, count: number) => [{ name: "sys", count, cpu, memory: cpu * 4 }];
  await vi.waitFor(() => create("KaasCluster", { name: "c" }, { ...AZURE, nodePools: pools(4, 2) }), LIMIT);
  await ready("KaasCluster", "c");
  await change("KaasCluster", "c", {
    metadata: { annotations: ALLOW },
    spec: { schedulingLocation: "swedencentral", nodePools: pools(2, 1), poolInstanceTypes: null, zones: null },
  });
  await vi.waitFor(async () => expect(await recorded()).toHaveProperty(["azure/swedencentral"]), LIMIT);
  expect(await recorded()).toMatchObject({ "azure/northeurope": 8 });
  await vi.waitFor(async () => expect(await conditions("KaasCluster", "c")).toContain("not allowed"), LIMIT);
  await expect(create("KaasCluster", { name: "d" }, { ...AZURE, nodePools: pools(4, 2) })).rejects.toThrow("POL_QUOTA");
  expect(await recorded()).toMatchObject({ "azure/northeurope": 8 });
}, 240_000);
