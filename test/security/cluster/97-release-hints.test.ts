import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const LIMIT = { timeout: 60_000, interval: 200 };
const NAMESPACE = "tenant-97";
const LABEL = "krateo.io/release-name";
const COMPOSITION = "composition.krateo.io/v0-1-0";
const PATH = `/apis/${COMPOSITION}/namespaces/${NAMESPACE}/vmtemplates`;
const AZURE = `/apis/compute.azure.com/v1api20220301/namespaces/${NAMESPACE}/virtualmachines`;
const GOOGLE = `/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/computeinstances`;

let cluster: TenantCluster;

beforeAll(async () => {
  cluster = await openTenant(inject("cluster").kubeconfig, NAMESPACE, { "landfall.dev/quota-objects": "1" });
});

afterAll(() => cluster.close());

const create = (place: object, metadata: object): Promise<Resource> =>
  cluster.tenant.client.create<Resource>(PATH, {
    ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name: "web", ...metadata } },
    spec: { cpu: 2, memory: 4, ...place },
  });

const change = (metadata: object): Promise<unknown> =>
  cluster.tenant.client.patch(`${PATH}/web`, "merge", { metadata });

const releaseOf = (): Promise<string> =>
  vi.waitFor(async () => {
    const object = await cluster.admin.get<Resource>(`${PATH}/web`);
    expect(object?.status?.["managed"]).toBeDefined();
    return object?.metadata.labels?.[LABEL] ?? "";
  }, LIMIT);

const machines = async (): Promise<string[]> => {
  const lists = await Promise.all([AZURE, GOOGLE].map((path) => cluster.admin.get<{ items: Resource[] }>(path)));
  return lists.flatMap((list) => list?.items ?? []).map(({ kind }) => kind);
};

it("97: an object that was decided to take over a release takes it over, whatever its label says since", async () => {
  await create(
    { provider: "gcp", schedulingLocation: "europe-west1" },
    { annotations: { "krateo.io/deletion-policy": "orphan" } },
  );
  const release = await releaseOf();
  await cluster.tenant.client.remove(`${PATH}/web`);
  await vi.waitFor(async () => expect(await cluster.admin.get(`${PATH}/web`)).toBeNull(), LIMIT);
  // What stayed counts, but for the object that takes it over.
  const paused = { annotations: { "krateo.io/paused": "true" }, labels: { [LABEL]: release } };
  await create({ provider: "azure", schedulingLocation: "italynorth" }, paused);
  await change({ labels: { [LABEL]: null } });
  await change({ labels: { [LABEL]: "web-00000000" }, annotations: { "krateo.io/paused": null } });
  expect(await releaseOf()).toBe(release);
  await vi.waitFor(async () => expect(await machines()).toEqual(["VirtualMachine"]), LIMIT);
});
