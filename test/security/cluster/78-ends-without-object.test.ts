import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { removedName } from "../../../src/composition/record/open-removals.ts";
import { retainedName } from "../../../src/model/runs/retained.ts";
import { runRecordName } from "../../../src/model/runs/run-record.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const LIMIT = { timeout: 90_000, interval: 250 };
const NAMESPACE = "tenant-78";
const SECRETS = "/api/v1/namespaces/landfall-system/secrets";
const objects = (name = "") =>
  `/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates${name && `/${name}`}`;
const machine = (name: string) =>
  `/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/computeinstances/${name}`;
const binding = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings/landfall-charts`;

let admin: KubeClient & TextClient;
let tenant: Tenant;

beforeAll(async () => {
  admin = textClient(createClient(await loadKubeconfig(inject("cluster").kubeconfig, {})));
  tenant = await createTenant(inject("cluster").kubeconfig, NAMESPACE);
});

afterAll(async () => {
  await tenant.close();
  await admin.close();
});

const isGone = (path: string) => vi.waitFor(async () => expect(await admin.get(path)).toBeNull(), LIMIT);

/** Installs a machine, and deletes its object in such a way that the machine stays. */
async function leaveMachine(name: string): Promise<string> {
  const { metadata } = await tenant.client.create<Resource>(objects(), {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { name } },
    spec: { cpu: 2, memory: 4, provider: "gcp", duration: "25s", maxLifetime: "25s", whenDone: "delete" },
  });
  await vi.waitFor(async () => expect(await admin.get(machine(name))).not.toBeNull(), LIMIT);
  // The identity of the namespace cannot be repaired, so that the deletion waits.
  const broken = { metadata: { finalizers: ["test/held"] }, subjects: [] };
  await admin.patch(binding, "merge", broken);
  let times = 0;
  await vi.waitFor(async () => {
    const annotations = { poke: String((times += 1)) };
    const { status } = await tenant.client.patch<Resource>(objects(name), "merge", { metadata: { annotations } });
    expect(JSON.stringify(status?.["conditions"])).toContain("REL_IDENTITY");
  }, LIMIT);
  await tenant.client.remove(objects(name));
  await vi.waitFor(() => tenant.client.patch(objects(name), "merge", { metadata: { finalizers: null } }), LIMIT);
  await isGone(objects(name));
  // Until then the binding stays broken: a removal that is under way could otherwise still delete the machine by itself.
  // A removal that had begun before has a record of its own, which counts as well.
  const records = [retainedName(metadata.uid ?? ""), removedName(metadata.uid ?? "")].map((one) => `${SECRETS}/${one}`);
  const found = () => Promise.all(records.map((one) => admin.get(one)));
  await vi.waitFor(async () => expect(await found()).not.toEqual([null, null]), LIMIT);
  await vi.waitFor(() => admin.patch(binding, "merge", { metadata: { finalizers: null } }), LIMIT);
  return metadata.uid ?? "";
}

it("78: a deleted object whose finalizer its tenant removed leaves its machine no longer than its maxLifetime", async () => {
  const uid = await leaveMachine("stripped");
  await isGone(machine("stripped"));
  for (const one of [runRecordName(uid), retainedName(uid), removedName(uid)]) await isGone(`${SECRETS}/${one}`);
  const { items } = (await admin.get<{ items: Resource[] }>(SECRETS)) ?? { items: [] };
  expect(items.filter(({ metadata }) => metadata.name?.startsWith(`landfall.release.${NAMESPACE}.`))).toEqual([]);
});
