import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { readReleaseMark } from "../../../src/model/decision-annotation/system-secrets.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const NAMESPACE = "tenant-310";
const LIMIT = { timeout: 60_000, interval: 200 };
const COMPOSITION = "composition.krateo.io/v0-2-0";
const PATH = `/apis/${COMPOSITION}/namespaces/${NAMESPACE}/vmtemplates`;
const MACHINES = `/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/computeinstances`;
const RELEASE = "meta.helm.sh/release-name";
const PAUSED = "krateo.io/paused";

let cluster: TenantCluster;

beforeAll(async () => {
  cluster = await openTenant(inject("cluster").kubeconfig, NAMESPACE, { "landfall.dev/quota-vcpus": "8" });
});

afterAll(() => cluster.close());

const read = (path: string): Promise<Resource | null> => cluster.tenant.client.get<Resource>(path);
const annotate = (path: string, annotations: Record<string, string | null>, more: object = {}): Promise<unknown> =>
  cluster.tenant.client.patch(path, "merge", { metadata: { annotations }, ...more });

/** A machine in a network that is there already: nothing but the machine is installed. */
const create = (name: string, cpu = 8): Promise<Resource> =>
  cluster.tenant.client.create<Resource>(PATH, {
    ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name } },
    spec: {
      ...{ provider: "gcp", schedulingLocation: "europe-west3", cpu, memory: 4 * cpu },
      network: { existing: { network: "mynet", subnet: "mysub" } },
    },
  });

async function installed(name: string, cpu?: number): Promise<Resource> {
  await vi.waitFor(() => create(name, cpu), LIMIT);
  return vi.waitFor(async () => {
    expect((await read(`${PATH}/${name}`))?.status?.["managed"]).toBeDefined();
    const machine = await read(`${MACHINES}/${name}`);
    expect(machine).not.toBeNull();
    return machine as Resource;
  }, LIMIT);
}

/** Nothing puts marks back while an object is paused. */
async function paused(name: string): Promise<void> {
  await annotate(`${PATH}/${name}`, { [PAUSED]: "true" });
  await vi.waitFor(async () => {
    expect(JSON.stringify((await read(`${PATH}/${name}`))?.status?.["conditions"])).toContain("Paused");
  }, LIMIT);
}

async function removed(name: string): Promise<void> {
  await cluster.tenant.client.remove(`${PATH}/${name}`);
  await vi.waitFor(async () => expect(await read(`${PATH}/${name}`)).toBeNull(), LIMIT);
}

const places = async (): Promise<string[]> => {
  const secrets = await cluster.admin.get<{ items: Resource[] }>("/api/v1/namespaces/landfall-system/secrets");
  const marks = (secrets?.items ?? []).map(readReleaseMark).filter((mark) => mark?.namespace === NAMESPACE);
  return marks.flatMap((mark) => mark?.running ?? []).map(({ place }) => place);
};

it("310: Helm's marks that a tenant changes are put back, and lose no object to a Secret that the tenant wrote", async () => {
  const machine = await installed("marked");
  await cluster.tenant.client.create(`/api/v1/namespaces/${NAMESPACE}/secrets`, {
    ...{ apiVersion: "v1", kind: "Secret", type: "helm.sh/release.v1", data: { release: "e30=" } },
    metadata: {
      name: "sh.helm.release.v1.fake.v1",
      labels: { owner: "helm", name: "fake", status: "deployed", version: "1" },
    },
  });
  const filler = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, "x".repeat(40)]));
  const labels = { "app.kubernetes.io/managed-by": "me" };
  await annotate(`${MACHINES}/marked`, { ...filler, [RELEASE]: "fake", "helm.sh/resource-policy": "keep" });
  await cluster.tenant.client.patch(`${MACHINES}/marked`, "merge", { metadata: { labels } });
  await vi.waitFor(async () => {
    const { annotations = {}, labels: now } = (await read(`${MACHINES}/marked`))?.metadata ?? {};
    expect(annotations[RELEASE]).toBe(machine.metadata.annotations?.[RELEASE]);
    expect(annotations["helm.sh/resource-policy"]).toBeUndefined();
    expect(now?.["app.kubernetes.io/managed-by"]).toBe("Helm");
  }, LIMIT);
  await removed("marked");
}, 120_000);

it("310: a machine whose marks name no release, or another one of the tenant's, goes with its object", async () => {
  const other = await installed("other", 1);
  const holders = { nobody: "nobody", others: other.metadata.annotations?.[RELEASE] ?? "" };
  for (const [name, holder] of Object.entries(holders)) {
    await installed(name, 4);
    await paused(name);
    await annotate(`${MACHINES}/${name}`, { [RELEASE]: holder });
    await removed(name);
    expect(await read(`${MACHINES}/${name}`)).toBeNull();
  }
  await removed("other");
}, 120_000);

it("310: a machine that is marked to be kept goes with a move, and counts until then", async () => {
  // A move between providers needs room for both machines.
  await installed("moved", 4);
  await paused("moved");
  await annotate(`${MACHINES}/moved`, { "helm.sh/resource-policy": "keep" });
  await annotate(
    `${PATH}/moved`,
    { [PAUSED]: null, "landfall.dev/allow-move": "true" },
    {
      spec: {
        ...{ provider: "azure", schedulingLocation: "northeurope" },
        ...{ instanceType: null, image: null, zone: null, network: null },
      },
    },
  );
  await vi.waitFor(async () => expect(await places()).toContain("azure/northeurope"), LIMIT);
  await vi.waitFor(async () => {
    expect(await read(`${MACHINES}/moved`)).toBeNull();
  }, LIMIT);
  await removed("moved");
}, 120_000);
