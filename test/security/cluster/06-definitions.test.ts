import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { conditionsOf } from "../../../src/model/kubernetes.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const LIMIT = { timeout: 60_000, interval: 200 };
const definitions = (namespace: string, name = "") =>
  `/apis/core.krateo.io/v1alpha1/namespaces/${namespace}/compositiondefinitions${name && `/${name}`}`;

let admin: KubeClient & TextClient;
let tenant: Tenant;

beforeAll(async () => {
  const { kubeconfig } = inject("cluster");
  admin = textClient(createClient(await loadKubeconfig(kubeconfig, {})));
  tenant = await createTenant(kubeconfig, "tenant-charts");
});

afterAll(async () => {
  await tenant.close();
  await admin.close();
});

it("6: a CompositionDefinition of a tenant's namespace is not used, and says so", async () => {
  await tenant.client.create(definitions("tenant-charts"), {
    ...{ apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition", metadata: { name: "own" } },
    spec: { chart: { url: "oci://127.0.0.1:9/charts/vm-template", version: "0.1.0" } },
  });
  await vi.waitFor(async () => {
    const definition = await tenant.client.get<Resource>(definitions("tenant-charts", "own"));
    const ready = conditionsOf(definition as Resource).find(({ type }) => type === "Ready");
    expect(ready).toMatchObject({ status: "False", reason: "NamespaceNotAllowed" });
    expect(ready?.message).toContain("[REL_DEFINITION_NAMESPACE]");
  }, LIMIT);
});

it("6: a CompositionDefinition of Krateo's namespace is not used unless the platform names it", async () => {
  const namespace = "/api/v1/namespaces";
  await admin
    .create(namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "krateo-system" } })
    .catch(() => null);
  await admin.create(definitions("krateo-system"), {
    ...{ apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition", metadata: { name: "blueprint" } },
    spec: { chart: { url: "oci://127.0.0.1:9/charts/vm-template", version: "0.1.0" } },
  });
  await vi.waitFor(async () => {
    const definition = await admin.get<Resource>(definitions("krateo-system", "blueprint"));
    const ready = conditionsOf(definition as Resource).find(({ type }) => type === "Ready");
    expect(ready).toMatchObject({ status: "False", reason: "NamespaceNotAllowed" });
  }, LIMIT);
  await admin.remove(definitions("krateo-system", "blueprint"));
});

it("6: the charts in use are pinned by digest in Landfall's namespace, in Secrets that cannot be changed", async () => {
  const pinned = await vi.waitFor(async () => {
    const definition = await admin.get<Resource>(definitions("landfall-system", "vm-template"));
    const found = conditionsOf(definition as Resource).find(({ type }) => type === "Pinned");
    expect(found).toMatchObject({ status: "True", reason: "Unchanged" });
    return found;
  }, LIMIT);
  const digest = /sha256:[0-9a-f]{64}/.exec(pinned?.message ?? "")?.[0] ?? "none";
  const list = await admin.get<{
    items: (Resource & { type?: string; immutable?: boolean; data?: { pin?: string } })[];
  }>("/api/v1/namespaces/landfall-system/secrets");
  const pins = (list?.items ?? []).filter(({ type }) => type === "landfall.dev/chart-pin");
  expect(pins.map(({ immutable }) => immutable)).toEqual([true, true]);
  expect(pins.map(({ data }) => Buffer.from(data?.pin ?? "", "base64").toString()).join()).toContain(digest);
});
