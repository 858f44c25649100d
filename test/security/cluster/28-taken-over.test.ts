import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const LIMIT = { timeout: 60_000, interval: 200 };
const COMPOSITION = "composition.krateo.io/v0-1-0";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const BINDING = "rolebindings/landfall-charts";

let admin: KubeClient & TextClient;
let kept: Tenant;
let ended: Tenant;

beforeAll(async () => {
  const { kubeconfig } = inject("cluster");
  admin = textClient(createClient(await loadKubeconfig(kubeconfig, {})));
  kept = await createTenant(kubeconfig, "tenant-28");
  ended = await createTenant(kubeconfig, "tenant-28-ended");
});

afterAll(async () => {
  await kept.close();
  await ended.close();
  await admin.close();
});

const objects = (namespace: string, name = "") =>
  `/apis/${COMPOSITION}/namespaces/${namespace}/vmtemplates${name && `/${name}`}`;
const machine = (namespace: string, name: string) =>
  `/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${namespace}/computeinstances/${name}`;

const create = ({ client, namespace }: Tenant, name: string, metadata: object = {}): Promise<Resource> =>
  client.create<Resource>(objects(namespace), {
    ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name, ...metadata } },
    spec: { cpu: 2, memory: 4, provider: "gcp", schedulingLocation: "europe-west1" },
  });

const installed = ({ namespace }: Tenant, name: string): Promise<Resource> =>
  vi.waitFor(async () => {
    const object = await admin.get<Resource>(objects(namespace, name));
    expect(object?.status?.["managed"]).toBeDefined();
    if (object === null) throw new TypeError("it is gone");
    return object;
  }, LIMIT);

const isGone = (path: string) => vi.waitFor(async () => expect(await admin.get(path)).toBeNull(), LIMIT);

async function idOf(name: string): Promise<unknown> {
  const found = await admin.get<Resource & { spec?: { resourceID?: string } }>(machine("tenant-28", name));
  return found?.spec?.resourceID;
}

it("an object that takes over an orphaned release keeps the names at the provider", async () => {
  await create(kept, "web", { annotations: { "krateo.io/deletion-policy": "orphan" } });
  const { metadata } = await installed(kept, "web");
  const release = metadata.labels?.["krateo.io/release-name"] ?? "";
  const id = await idOf("web");
  expect(id).toMatch(/^web-[0-9a-f]{8}$/);
  await kept.client.remove(objects("tenant-28", "web"));
  await isGone(objects("tenant-28", "web"));
  await create(kept, "web", { labels: { "krateo.io/release-name": release } });
  const next = await installed(kept, "web");
  expect(next.metadata.uid).not.toBe(metadata.uid);
  // A second revision, since a label of the record alone would not change the machine.
  await kept.client.patch(objects("tenant-28", "web"), "merge", { spec: { tags: { team: "a" } } });
  await vi.waitFor(async () => {
    const found = await admin.get<Resource>(machine("tenant-28", "web"));
    expect(found?.metadata.labels).toMatchObject({ team: "a" });
  }, LIMIT);
  expect(await idOf("web")).toBe(id);
  await kept.client.remove(objects("tenant-28", "web"));
  await isGone(objects("tenant-28", "web"));
  expect(await admin.get(machine("tenant-28", "web"))).toBeNull();
});

it("a namespace that is deleted ends, although its RoleBinding is deleted before its objects", async () => {
  const roles = `${RBAC}/namespaces/tenant-28-ended`;
  await create(ended, "one");
  await installed(ended, "one");
  await admin.remove("/api/v1/namespaces/tenant-28-ended");
  // As kube-controller-manager does, which this control plane lacks.
  await admin.remove(`${roles}/${BINDING}`);
  await admin.remove(objects("tenant-28-ended", "one"));
  await isGone(objects("tenant-28-ended", "one"));
  expect(await admin.get(machine("tenant-28-ended", "one"))).toBeNull();
  await isGone(`${roles}/${BINDING}`);
});
