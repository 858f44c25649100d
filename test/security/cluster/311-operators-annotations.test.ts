import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { ManagedEntry, Resource } from "../../../src/composition/types.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const NAMESPACE = "tenant-311";
const LIMIT = { timeout: 60_000, interval: 100 };
const COMPOSITION = "composition.krateo.io/v0-2-0";
const PATH = `/apis/${COMPOSITION}/namespaces/${NAMESPACE}/vmtemplates`;
const SYSTEM = "/api/v1/namespaces/landfall-system/secrets";

const PROVIDERS = {
  aws: {
    ...{ region: "eu-central-1", plural: "instances" },
    ...{ annotation: "services.k8s.aws/deletion-policy", keeps: "retain", own: "delete" },
  },
  azure: {
    ...{ region: "northeurope", plural: "virtualmachines" },
    ...{ annotation: "serviceoperator.azure.com/reconcile-policy", keeps: "skip", own: "manage" },
  },
  gcp: {
    ...{ region: "europe-west3", plural: "computeinstances" },
    ...{ annotation: "cnrm.cloud.google.com/deletion-policy", keeps: "abandon", own: "delete" },
  },
} as const;

let cluster: TenantCluster;

beforeAll(async () => {
  cluster = await openTenant(inject("cluster").kubeconfig, NAMESPACE, { "landfall.dev/quota-vcpus": "16" });
});

afterAll(() => cluster.close());

const read = (path: string): Promise<Resource | null> => cluster.tenant.client.get<Resource>(path);
const annotate = (path: string, annotations: Record<string, string>): Promise<unknown> =>
  cluster.tenant.client.patch(path, "merge", { metadata: { annotations } });

async function installed(name: string, provider: keyof typeof PROVIDERS): Promise<string> {
  const { region, plural } = PROVIDERS[provider];
  await vi.waitFor(
    () =>
      cluster.tenant.client.create<Resource>(PATH, {
        ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name } },
        spec: { provider, schedulingLocation: region, cpu: 4, memory: 16, admin: { sshKeys: ["ssh-ed25519 AAAA"] } },
      }),
    LIMIT,
  );
  return vi.waitFor(async () => {
    const { conditions, managed } = (await read(`${PATH}/${name}`))?.status ?? {};
    expect(conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
    return (managed as ManagedEntry[]).find(({ resource }) => resource === plural)?.path ?? "";
  }, LIMIT);
}

async function removed(name: string): Promise<void> {
  await cluster.tenant.client.remove(`${PATH}/${name}`);
  await vi.waitFor(async () => expect(await read(`${PATH}/${name}`)).toBeNull(), LIMIT);
}

it.each(["aws", "azure", "gcp"] as const)(
  "311: an annotation that keeps a machine of %s is put back",
  async (provider) => {
    const { annotation, keeps, own } = PROVIDERS[provider];
    const machine = await installed(`put-${provider}`, provider);
    expect((await read(machine))?.metadata.annotations?.[annotation]).toBe(own);
    await annotate(machine, { [annotation]: keeps });
    await vi.waitFor(async () => expect((await read(machine))?.metadata.annotations?.[annotation]).toBe(own), LIMIT);
    await removed(`put-${provider}`);
  },
  120_000,
);

it("311: a machine that is annotated while it is deleted counts as left at its provider", async () => {
  const machine = await installed("late", "aws");
  // The provider takes its time.
  await cluster.admin.patch(machine, "merge", { metadata: { finalizers: ["test/provider"] } });
  await cluster.tenant.client.remove(`${PATH}/late`);
  await vi.waitFor(async () => expect((await read(machine))?.metadata.deletionTimestamp).toBeDefined(), LIMIT);
  await annotate(machine, { "services.k8s.aws/deletion-policy": "retain" });
  await vi.waitFor(async () => {
    const secrets = await cluster.admin.get<{ items: Resource[] }>(SYSTEM);
    const names = (secrets?.items ?? []).map(({ metadata }) => metadata.name ?? "");
    expect(names.filter((name) => /^landfall\.retained\..*-left$/.test(name))).toHaveLength(1);
  }, LIMIT);
  await cluster.admin.patch(machine, "merge", { metadata: { finalizers: null } });
  await vi.waitFor(async () => expect(await read(`${PATH}/late`)).toBeNull(), LIMIT);
}, 120_000);
