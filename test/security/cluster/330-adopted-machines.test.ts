import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { readReleaseMark } from "../../../src/model/decision-annotation/system-secrets.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const NAMESPACE = "tenant-330";
const LIMIT = { timeout: 60_000, interval: 200 };
const COMPOSITION = "composition.krateo.io/v0-2-0";
const PATH = `/apis/${COMPOSITION}/namespaces/${NAMESPACE}/vmtemplates`;
const MACHINE = `/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/computeinstances/vm-1`;
const PAUSED = "krateo.io/paused";
const REFUSES = "test.example/provider-refuses";

let cluster: TenantCluster;

beforeAll(async () => {
  cluster = await openTenant(inject("cluster").kubeconfig, NAMESPACE, { "landfall.dev/quota-vcpus": "9" });
});

afterAll(() => cluster.close());

const read = (path: string): Promise<Resource | null> => cluster.tenant.client.get<Resource>(path);
const change = (path: string, metadata: object): Promise<Resource> =>
  cluster.tenant.client.patch<Resource>(path, "merge", { metadata });
const conditions = async (name: string): Promise<string> =>
  JSON.stringify((await read(`${PATH}/${name}`))?.status?.["conditions"] ?? []);

/** Machines in a network that is there already: `1` and `vm-1` render the same one, and nothing else. */
const create = (name: string, cpu: number, annotations: Record<string, string> = {}): Promise<Resource> =>
  vi.waitFor(
    () =>
      cluster.tenant.client.create<Resource>(PATH, {
        ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name, annotations } },
        spec: {
          ...{ provider: "gcp", schedulingLocation: "europe-west3", cpu, memory: 4 * cpu, maxLifetime: "1d" },
          network: { existing: { network: "mynet", subnet: "mysub" } },
        },
      }),
    LIMIT,
  );

const machine = (): Promise<Resource> =>
  vi.waitFor(async () => {
    const found = await read(MACHINE);
    expect(found).not.toBeNull();
    return found as Resource;
  }, LIMIT);

const says = (name: string, text: string): Promise<void> =>
  vi.waitFor(async () => expect(await conditions(name)).toContain(text), LIMIT);

const gone = (path: string): Promise<void> => vi.waitFor(async () => expect(await read(path)).toBeNull(), LIMIT);

async function counted(): Promise<number> {
  const secrets = await cluster.admin.get<{ items: Resource[] }>("/api/v1/namespaces/landfall-system/secrets");
  const marks = (secrets?.items ?? []).map(readReleaseMark).filter((mark) => mark?.namespace === NAMESPACE);
  return marks.flatMap((mark) => mark?.running ?? []).reduce((sum, { vcpus }) => sum + vcpus, 0);
}

/** Marks the machine as one of the release that the object `vm-1`, which is paused, gets. */
async function forge({ metadata: { uid = "" } }: Resource): Promise<void> {
  const release = `vm-1-${uid.replaceAll("-", "").slice(0, 8)}`;
  await change(MACHINE, { annotations: { "meta.helm.sh/release-name": release } });
  await change(`${PATH}/vm-1`, { annotations: { [PAUSED]: null } });
}

it("330: a machine that another record names is not adopted by Helm's marks, and keeps its size and object", async () => {
  await create("1", 8);
  const { metadata } = await machine();
  await says("1", "Ready");
  await change(`${PATH}/1`, { annotations: { [PAUSED]: "true" } });
  await says("1", "Paused");
  await forge(await create("vm-1", 1, { [PAUSED]: "true" }));
  await says("vm-1", "[REL_OBJECT_TAKEN]");
  expect(await conditions("vm-1")).toContain(
    "ComputeInstance vm-1 already exists and belongs to VmTemplate tenant-330/1",
  );
  expect(await conditions("vm-1")).toContain("give this object another name, or another vmName");
  expect(await counted()).toBe(8);
  await cluster.tenant.client.remove(`${PATH}/1`);
  await gone(`${PATH}/1`);
  // The machine went with its own object; the other one is installed then, as a machine of its own.
  const next = await vi.waitFor(async () => {
    const found = await machine();
    expect(found.metadata.uid).not.toBe(metadata.uid);
    return found;
  }, LIMIT);
  expect(next.metadata.uid).toBeDefined();
  await vi.waitFor(async () => expect(await counted()).toBe(1), LIMIT);
  await cluster.tenant.client.remove(`${PATH}/vm-1`);
  await gone(`${PATH}/vm-1`);
}, 180_000);

it("331: what a removal still deletes is not adopted, and is waited for, whatever its marks say", async () => {
  await create("1", 8);
  await machine();
  await says("1", "Ready");
  const { finalizers = [] } = (await machine()).metadata;
  await change(MACHINE, { finalizers: [...finalizers, REFUSES] });
  await cluster.tenant.client.remove(`${PATH}/1`);
  await vi.waitFor(async () => expect((await machine()).metadata.deletionTimestamp).toBeDefined(), LIMIT);
  const other = await create("vm-1", 1, { [PAUSED]: "true" });
  await forge(other);
  await says("vm-1", "[REL_OBJECT_DELETING]");
  expect(await conditions("vm-1")).toContain("it is being deleted with VmTemplate tenant-330/1");
  // The object is stripped, and nothing names its machine but the record of its removal.
  await change(`${PATH}/1`, { finalizers: null });
  await gone(`${PATH}/1`);
  await new Promise((resolve) => setTimeout(resolve, 8000));
  expect(await counted()).toBe(8);
  await change(MACHINE, { finalizers: null });
  await vi.waitFor(async () => {
    expect((await machine()).metadata.deletionTimestamp).toBeUndefined();
    expect(await counted()).toBe(1);
  }, LIMIT);
  await cluster.tenant.client.remove(`${PATH}/vm-1`);
  await gone(`${PATH}/vm-1`);
}, 180_000);
