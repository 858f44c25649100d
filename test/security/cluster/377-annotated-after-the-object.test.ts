import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject, it, onTestFinished, vi } from "vitest";
import type { ManagedEntry, Resource } from "../../../src/composition/types.ts";
import { openTenant } from "../../support/composition/tenant.ts";

const NAMESPACE = "tenant-377";
const LIMIT = { timeout: 60_000, interval: 100 };
const COMPOSITION = "composition.krateo.io/v0-2-0";
const OBJECT = `/apis/${COMPOSITION}/namespaces/${NAMESPACE}/vmtemplates/late`;
const SYSTEM = "/api/v1/namespaces/landfall-system/secrets";
const POLICY = "cnrm.cloud.google.com/deletion-policy";

it("377: a machine that is annotated to stay after its object is gone does not, and counts until someone takes note of it", async () => {
  const cluster = await openTenant(inject("cluster").kubeconfig, NAMESPACE, {
    "landfall.dev/quota-vcpus": "8",
  });
  onTestFinished(() => cluster.close());
  const { admin, tenant } = cluster;
  const read = (path: string): Promise<Resource | null> => tenant.client.get<Resource>(path);
  const { metadata } = await vi.waitFor(
    () =>
      tenant.client.create<Resource>(OBJECT.slice(0, -"/late".length), {
        ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name: "late" } },
        spec: { provider: "gcp", schedulingLocation: "europe-west3", cpu: 4, memory: 16 },
      }),
    LIMIT,
  );
  const machine = await vi.waitFor(async () => {
    const { conditions, managed } = (await read(OBJECT))?.status ?? {};
    expect(conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
    return (managed as ManagedEntry[]).find(({ resource }) => resource === "computeinstances")?.path ?? "";
  }, LIMIT);
  // The provider takes its time.
  await admin.patch(machine, "merge", { metadata: { finalizers: ["test/provider"] } });
  await tenant.client.remove(OBJECT);
  // Its release is uninstalled, and the controller waits for the machine.
  await vi.waitFor(async () => {
    expect(JSON.stringify((await read(OBJECT))?.status?.["conditions"])).toContain("REL_DELETE_BLOCKED");
  }, LIMIT);
  await vi.waitFor(async () => {
    await tenant.client.patch(OBJECT, "merge", { metadata: { finalizers: null } }).catch(() => undefined);
    expect(await read(OBJECT)).toBeNull();
  }, LIMIT);
  // The last look that began with the object has ended.
  await sleep(1000);
  await tenant.client.patch(machine, "merge", { metadata: { annotations: { [POLICY]: "abandon" } } });
  await vi.waitFor(async () => {
    expect((await read(machine))?.metadata.annotations?.[POLICY]).toBe("delete");
    const secrets = await admin.get<{ items: Resource[] }>(SYSTEM);
    const names = (secrets?.items ?? []).map(({ metadata }) => metadata.name ?? "");
    expect(names).toContain(`landfall.retained.${metadata.uid ?? ""}-left`);
  }, LIMIT);
  await admin.patch(machine, "merge", { metadata: { finalizers: null } });
  await vi.waitFor(async () => expect(await read(machine)).toBeNull(), LIMIT);
}, 120_000);
