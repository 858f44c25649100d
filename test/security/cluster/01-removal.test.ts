import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { packRelease } from "../../support/composition/forge-release.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const NAMESPACE = "tenant-removal";
const GOOGLE = "compute.cnrm.cloud.google.com/v1beta1";
const COMPOSITION = "composition.krateo.io/v0-1-0";
const LIMIT = { timeout: 60_000, interval: 200 };

let admin: KubeClient & TextClient;
let tenant: Tenant;

const objects = (name = "") => `/apis/${COMPOSITION}/namespaces/${NAMESPACE}/vmtemplates${name && `/${name}`}`;
const networks = (name = "") => `/apis/${GOOGLE}/namespaces/${NAMESPACE}/computenetworks${name && `/${name}`}`;
const secrets = (name = "") => `/api/v1/namespaces/${NAMESPACE}/secrets${name && `/${name}`}`;

const create = (name: string, metadata: object = {}, spec: object = {}) =>
  tenant.client.create<Resource>(objects(), {
    ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name, ...metadata } },
    spec: { cpu: 2, memory: 4, provider: "gcp", ...spec },
  });

const gone = (path: string) =>
  vi.waitFor(async () => {
    expect(await tenant.client.get(path)).toBeNull();
  }, LIMIT);

beforeAll(async () => {
  const { kubeconfig } = inject("cluster");
  admin = textClient(createClient(await loadKubeconfig(kubeconfig, {})));
  tenant = await createTenant(kubeconfig, NAMESPACE);
});

afterAll(async () => {
  await tenant.close();
  await admin.close();
});

it("1: a deletion renders and uninstalls nothing for an object that was never installed, whatever its Secrets say", async () => {
  // Has the name that the chart would give to the object's network.
  const metadata = { name: "sleeper-net", namespace: NAMESPACE };
  await tenant.client.create(networks(), { apiVersion: GOOGLE, kind: "ComputeNetwork", metadata, spec: {} });
  const schedulingTime = new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+Z$/, "Z");
  const finalizers = ["composition.krateo.io/finalizer"];
  const { metadata: made } = await create("sleeper", { finalizers }, { schedulingTime });
  const release = `sleeper-${(made.uid ?? "").slice(0, 8)}`;
  const labels = { owner: "helm", name: release, status: "deployed", version: "1" };
  await tenant.client.create(secrets(), {
    ...{ apiVersion: "v1", kind: "Secret", type: "helm.sh/release.v1" },
    metadata: { name: `sh.helm.release.v1.${release}.v1`, labels: { ...labels, "landfall.dev/composition": made.uid } },
    data: { release: packRelease({ name: release, namespace: NAMESPACE, config: {}, manifest: "", hooks: [] }) },
  });
  await tenant.client.remove(objects("sleeper"));
  await gone(objects("sleeper"));
  const network = await tenant.client.get<Resource>(networks("sleeper-net"));
  expect(network?.metadata.uid).toBeDefined();
  expect(network?.metadata.deletionTimestamp).toBeUndefined();
  expect(
    await admin.get(`/api/v1/namespaces/landfall-system/secrets/landfall.release.${NAMESPACE}.${release}`),
  ).toBeNull();
  await tenant.client.remove(networks("sleeper-net"));
});

it("1: a deletion does not end before the resources, where the key of the record changed and its copies are gone", async () => {
  await create("keyless");
  const release = await vi.waitFor(async () => {
    const object = await tenant.client.get<Resource>(objects("keyless"));
    expect(object?.status?.["managed"]).toBeDefined();
    return object?.metadata.labels?.["krateo.io/release-name"] ?? "";
  }, LIMIT);
  const path = `/api/v1/namespaces/landfall-system/secrets/landfall.release.${NAMESPACE}.${release}`;
  const annotations = { "landfall.dev/signature": "of another key" };
  // Held, so that it is seen to be waited for.
  await tenant.client.patch(networks("keyless-net"), "merge", { metadata: { finalizers: ["test/held"] } });
  await admin.patch(path, "merge", { metadata: { annotations } });
  await tenant.client.patch(`${objects("keyless")}/status`, "merge", { status: { managed: null } });
  await tenant.client.remove(secrets(`sh.helm.release.v1.${release}.v1`));
  await tenant.client.remove(objects("keyless"));
  await vi.waitFor(async () => {
    const network = await tenant.client.get<Resource>(networks("keyless-net"));
    expect(network?.metadata.deletionTimestamp).toBeDefined();
  }, LIMIT);
  const object = await tenant.client.get<Resource>(objects("keyless"));
  expect(object?.metadata.finalizers).toContain("composition.krateo.io/finalizer");
  await tenant.client.patch(networks("keyless-net"), "merge", { metadata: { finalizers: null } });
  await gone(objects("keyless"));
  expect(await tenant.client.get(networks("keyless-net"))).toBeNull();
  expect(await admin.get(path)).toBeNull();
});
