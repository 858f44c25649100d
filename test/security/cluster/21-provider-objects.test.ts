import { readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { listUnmanaged, PROVIDER_GROUPS } from "../../../src/audit/list-unmanaged.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { applyObject } from "../../../src/local/control-plane/apply-object.ts";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";
import { sendRequest } from "../../support/send-request.ts";
import { nowSeconds } from "../../../src/model/time.ts";

const MANAGED = "managed-21";
const OTHER = "unmanaged-21";
const NETWORKS = (namespace: string) => `/apis/elemento.landfall.dev/v1alpha1/namespaces/${namespace}/elementonetworks`;
const ADMISSION = "/apis/admissionregistration.k8s.io/v1";

let admin: KubeClient;
let tenant: KubeClient;
let controller: KubeClient;

async function readDocuments(file: string): Promise<KubernetesObject[]> {
  const text = await readFile(new URL(`../../../charts/landfall/${file}`, import.meta.url), "utf8");
  return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
}

const apply = async (objects: readonly object[]): Promise<void> => {
  for (const object of objects) await applyObject(admin, object as KubernetesObject);
};

const network = (name: string, cidr = "10.0.0.0/24") => ({
  apiVersion: "elemento.landfall.dev/v1alpha1",
  kind: "ElementoNetwork",
  metadata: { name },
  spec: { name: "net", provider: "ovh", cidr },
});

/** An hour from now: nothing is new by then. */
const later = (): number => nowSeconds() + 3600;

const create = (client: KubeClient, namespace: string, name: string) =>
  sendRequest(client, NETWORKS(namespace), { method: "POST", body: network(name) });

beforeAll(async () => {
  const config = await loadKubeconfig(inject("cluster").kubeconfig, {});
  const as = (user: string): KubeClient =>
    createClient({ ...config, headers: async () => ({ ...(await config.headers()), "impersonate-user": user }) });
  [admin, tenant, controller] = [createClient(config), as("tenant-21"), as("controller-21")];
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
  const subject = (name: string) => ({ kind: "User", apiGroup: "rbac.authorization.k8s.io", name });
  const role = (name: string) => ({ kind: "ClusterRole", apiGroup: "rbac.authorization.k8s.io", name });
  const rights = [{ apiGroups: ["elemento.landfall.dev"], resources: ["*"], verbs: ["*"] }];
  await apply([
    { apiVersion: "v1", kind: "Namespace", metadata: { name: MANAGED, labels: { "landfall.dev/managed": "true" } } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: OTHER } },
    ...(await readDocuments("optional/tenant-role.yaml")),
    // Somebody gave the tenant more than the tenants' role: the policy holds all the same.
    { ...rbac, kind: "ClusterRole", metadata: { name: "generous-21" }, rules: rights },
    ...["generous-21", "landfall-tenant"].map((name) => ({
      ...{ ...rbac, kind: "ClusterRoleBinding", metadata: { name: `${name}-21` } },
      ...{ subjects: [subject("tenant-21")], roleRef: role(name) },
    })),
    // As the controller binds the identity that installs in a namespace. Networks come from a chart of the platform's own, with its rights.
    ...["landfall-charts", "generous-21"].map((name) => ({
      ...{ ...rbac, kind: "RoleBinding", metadata: { name: `${name}-controller-21`, namespace: MANAGED } },
      ...{ subjects: [subject("controller-21")], roleRef: role(name) },
    })),
  ]);
});

afterAll(async () => {
  for (const kind of ["validatingadmissionpolicybindings", "validatingadmissionpolicies"])
    await sendRequest(admin, `${ADMISSION}/${kind}/provider-objects.landfall.dev`, { method: "DELETE" });
  await Promise.all([admin, tenant, controller].map((client) => client.close()));
});

describe("21: provider objects", () => {
  it("are created past Landfall by whoever has the right, without the policy, and the audit lists them", async () => {
    expect((await create(tenant, MANAGED, "before")).status).toBe(201);
    expect(await listUnmanaged(admin, [], later())).toContainEqual({
      ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoNetwork" },
      ...{ namespace: MANAGED, name: "before" },
    });
  });

  it("are not listed by the audit where an object of the same namespace installed them, and only there", async () => {
    const managed = [{ apiVersion: "elemento.landfall.dev/v1alpha1", resource: "elementonetworks", name: "before" }];
    const installer = (namespace: string) =>
      ({ kind: "VmTemplate", metadata: { name: "vm", namespace }, spec: {}, status: { managed } }) as never;
    const names = async (namespace: string) =>
      (await listUnmanaged(admin, [installer(namespace)], later())).filter((one) => one.namespace === MANAGED).length;
    expect(await names(MANAGED)).toBe(0);
    expect(await names(OTHER)).toBe(1);
  });

  it("are created and changed in managed namespaces by the controller alone, with the policy", async () => {
    await apply(await readDocuments("optional/provider-objects.yaml"));
    const refused = await vi.waitFor(
      async () => {
        const answer = await create(tenant, MANAGED, `after-${String(Date.now())}`);
        expect(answer.status).toBe(403);
        return answer;
      },
      { timeout: 20_000, interval: 200 },
    );
    expect(refused.body["message"]).toContain("apply a VmTemplate or a KaasCluster instead");
    expect((await create(controller, MANAGED, "installed")).status).toBe(201);
    const path = `${NETWORKS(MANAGED)}/installed`;
    const change = { method: "PATCH", body: { spec: { cidr: "10.128.0.0/9" } } } as const;
    expect((await sendRequest(tenant, path, change)).status).toBe(403);
    const label = { method: "PATCH", body: { metadata: { labels: { a: "b" } } } } as const;
    expect((await sendRequest(tenant, path, label)).status).toBe(200);
    expect((await sendRequest(controller, path, change)).status).toBe(200);
    const metadata = (fields: object) => ({ method: "PATCH", body: { metadata: fields } }) as const;
    const set = metadata({
      annotations: { "elemento.landfall.dev/name": "net" },
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      finalizers: ["elemento.landfall.dev/cleanup"],
    });
    expect((await sendRequest(controller, path, set)).status).toBe(200);
    for (const fields of [
      { annotations: { "elemento.landfall.dev/abandon": "true" } },
      { annotations: { "landfall.dev/upgrades": "{}" } },
      { annotations: { "elemento.landfall.dev/name": null } },
      { annotations: { "meta.helm.sh/release-name": "nobody" } },
      { annotations: { "helm.sh/resource-policy": "keep" } },
      { annotations: { "services.k8s.aws/deletion-policy": "retain" } },
      { labels: { "app.kubernetes.io/managed-by": null } },
      { finalizers: [] },
    ]) {
      expect((await sendRequest(tenant, path, metadata(fields))).status, JSON.stringify(fields)).toBe(403);
    }
    const plain = {
      annotations: { note: "x" },
      labels: { a: null },
      finalizers: ["elemento.landfall.dev/cleanup", "a/b"],
    };
    expect((await sendRequest(tenant, path, metadata(plain))).status).toBe(200);
    // 433: a state that is not the provider's could free a quota, or hide a machine.
    const state = { method: "PATCH", body: { status: { state: "gone" } } } as const;
    expect((await sendRequest(tenant, `${path}/status`, state)).status).toBe(403);
    expect((await sendRequest(controller, `${path}/status`, state)).status).toBe(200);
    expect((await sendRequest(controller, path, metadata({ finalizers: [] }))).status).toBe(200);
    expect((await create(tenant, OTHER, "elsewhere")).status).toBe(201);
  });

  it("are no part of the tenants' role", async () => {
    const [role] = (await readDocuments("optional/tenant-role.yaml")) as { rules?: { apiGroups: string[] }[] }[];
    expect(role?.rules?.flatMap(({ apiGroups }) => apiGroups)).toEqual([
      ...["composition.krateo.io", "composition.krateo.io", "landfall.dev"],
    ]);
  });

  it("are of the same groups in the policy and the audit, which cover the controller's role", async () => {
    const [policy] = (await readDocuments("optional/provider-objects.yaml")) as unknown as {
      spec: { matchConstraints: { resourceRules: { apiGroups: string[] }[] } };
    }[];
    expect(policy?.spec.matchConstraints.resourceRules[0]?.apiGroups).toEqual([...PROVIDER_GROUPS]);
    const roles = (await readDocuments("rbac/controller.yaml")) as (KubernetesObject & {
      rules?: { apiGroups: string[] }[];
    })[];
    const own = roles.find(({ metadata }) => metadata.name === "landfall-charts-own");
    const granted = (own?.rules ?? [])
      .flatMap(({ apiGroups }) => apiGroups)
      .filter((group) => !["", "landfall.dev"].includes(group));
    // The role has only what the charts render; policy and audit cover the other kinds of the providers as well.
    expect(granted.length).toBeGreaterThan(9);
    expect(granted.filter((group) => !PROVIDER_GROUPS.some((known) => known === group))).toEqual([]);
  });
});
