import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { actAs } from "../../../src/cluster/client/act-as.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { RestConfig } from "../../../src/cluster/client/rest-config.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { sendRequest } from "../../support/send-request.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const [OWN, OTHER, SYSTEM] = ["admin-01", "other-01", "landfall-system"] as const;
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const LIMIT = { timeout: 30_000, interval: 200 };
const MANAGED = `/apis/composition.krateo.io/v0-1-0/namespaces/${OWN}/vmtemplates`;
const BINDING = `${RBAC}/namespaces/${OWN}/rolebindings/landfall-charts`;
const IDENTITY = `system:serviceaccount:${SYSTEM}:landfall-tenant-${OWN}`;
const CONTROLLER = `system:serviceaccount:${SYSTEM}:landfall-composition`;

let config: RestConfig;
let admin: KubeClient & TextClient;
let tenant: Tenant;
const clients: KubeClient[] = [];

function clientAs(user: string): KubeClient & TextClient {
  const client = textClient(createClient(actAs(config, user)));
  clients.push(client);
  return client;
}

/** Whether RBAC lets this user do it; by the API server's own answer. */
async function may(user: string, verb: string, resource: string, rest: object = {}): Promise<boolean> {
  const [name = "", group = ""] = resource.split(/\.(.*)/);
  const spec = { user, resourceAttributes: { verb, resource: name, group, ...rest } };
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  const answer = await admin.create<Resource>("/apis/authorization.k8s.io/v1/subjectaccessreviews", review);
  return answer.status?.["allowed"] === true;
}

const statusOf = async (path: string, method: "GET" | "POST" | "PATCH" | "DELETE", body?: unknown): Promise<number> =>
  (await sendRequest(tenant.client, path, { method, body })).status;

beforeAll(async () => {
  const { kubeconfig } = inject("cluster");
  config = await loadKubeconfig(kubeconfig, {});
  admin = textClient(createClient(config));
  tenant = await createTenant(kubeconfig, OWN);
  await createTenant(kubeconfig, OTHER).then((other) => other.close());
  const spec = { cpu: 2, memory: 4, provider: "gcp" };
  const about = { apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate", spec };
  await tenant.client.create(MANAGED, { ...about, metadata: { name: "web" } });
  await vi.waitFor(async () => {
    const object = await tenant.client.get<Resource>(`${MANAGED}/web`);
    expect(object?.status?.["managed"]).toBeDefined();
  }, LIMIT);
});

afterAll(async () => {
  await Promise.all([tenant.close(), admin.close(), ...clients.map((client) => client.close())]);
});

describe("1: what an administrator of a namespace cannot do", () => {
  it("read, change or create records of releases", async () => {
    const records = `/api/v1/namespaces/${SYSTEM}/secrets`;
    const list = await admin.get<{ items: Resource[] }>(records);
    const record = list?.items.find(({ metadata }) => metadata.name?.startsWith(`landfall.release.${OWN}.web-`));
    const path = `${records}/${record?.metadata.name ?? ""}`;
    expect(await statusOf(records, "GET")).toBe(403);
    expect(await statusOf(path, "GET")).toBe(403);
    expect(await statusOf(path, "PATCH", { data: { record: "" } })).toBe(403);
    expect(await statusOf(path, "DELETE")).toBe(403);
    const forged = { apiVersion: "v1", kind: "Secret", metadata: { name: `landfall.release.${OWN}.other` } };
    expect(await statusOf(records, "POST", forged)).toBe(403);
  });

  it("become the identity that installs, of the namespace itself or of another one", async () => {
    const accounts = `/api/v1/namespaces/${SYSTEM}/serviceaccounts`;
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    expect(await statusOf(`${accounts}/landfall-tenant-${OWN}/token`, "POST", request)).toBe(403);
    const user = `admin-of-${OWN}`;
    for (const name of [`landfall-tenant-${OWN}`, `landfall-tenant-${OTHER}`, "landfall-composition"]) {
      expect(await may(user, "impersonate", "serviceaccounts", { namespace: SYSTEM, name })).toBe(false);
    }
  });

  it("give the identity rights outside of its namespace", async () => {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
    const subjects = [{ kind: "ServiceAccount", name: `landfall-tenant-${OWN}`, namespace: SYSTEM }];
    const about = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "more" }, roleRef, subjects };
    const everywhere = { ...about, kind: "ClusterRoleBinding" };
    expect(await statusOf(`${RBAC}/clusterrolebindings`, "POST", everywhere)).toBe(403);
    const there = { ...about, kind: "RoleBinding" };
    expect(await statusOf(`${RBAC}/namespaces/${OTHER}/rolebindings`, "POST", there)).toBe(403);
  });

  it("change the identity's RoleBinding, nor put another one into its place; the controller corrects what others do", async () => {
    const wanted = await tenant.client.get<Resource & { roleRef: object; subjects: object }>(BINDING);
    const collection = `${RBAC}/namespaces/${OWN}/rolebindings`;
    const other = {
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "landfall-charts" } },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "owner" },
      subjects: [{ kind: "ServiceAccount", name: `landfall-tenant-${OTHER}`, namespace: SYSTEM }],
    };
    const free = { metadata: { finalizers: null } };
    expect(await statusOf(BINDING, "PATCH", free)).toBe(403);
    expect(await statusOf(BINDING, "DELETE")).toBe(200);
    expect(await statusOf(collection, "POST", other)).toBe(403);
    await admin.patch(BINDING, "merge", free);
    await admin.create(collection, other);
    await tenant.client.patch(`${MANAGED}/web`, "merge", { spec: { tags: { step: "two" } } });
    await vi.waitFor(async () => {
      const now = await tenant.client.get<typeof wanted & object>(BINDING);
      expect(now).toMatchObject({ roleRef: wanted?.roleRef, subjects: wanted?.subjects });
    }, LIMIT);
  });

  it("make the controller read what status.managed names, or show it", async () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "db", finalizers: ["test.dev/held"] } };
    await admin.create(`/api/v1/namespaces/${OTHER}/secrets`, secret);
    const paths = [`/api/v1/namespaces/${OTHER}/secrets/db`, `/apis/apps/v1/namespaces/${OTHER}/deployments/db`];
    const managed = paths.map((path) => ({
      path,
      apiVersion: "v1",
      name: "db",
      namespace: OTHER,
      resource: "secrets",
    }));
    const spec = { cpu: 2, memory: 4, provider: "gcp" };
    const about = { apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate", spec };
    const annotations = { "krateo.io/paused": "true" };
    const finalizers = ["composition.krateo.io/finalizer"];
    await tenant.client.create(MANAGED, { ...about, metadata: { name: "nosy", annotations, finalizers } });
    await tenant.client.patch(`${MANAGED}/nosy/status`, "merge", { status: { managed } });
    await admin.remove(`/api/v1/namespaces/${OTHER}/secrets/db`);
    await tenant.client.remove(`${MANAGED}/nosy`);
    await vi.waitFor(async () => expect(await tenant.client.get(`${MANAGED}/nosy`)).toBeNull(), LIMIT);
    const free = { metadata: { finalizers: null } };
    await admin.patch(`/api/v1/namespaces/${OTHER}/secrets/db`, "merge", free);
  });
});

describe("1: what the identity of a namespace cannot do, even if a check fails", () => {
  const other = { namespace: OTHER };

  it.each([
    ["create", "secrets", other],
    ["get", "secrets", other],
    ["patch", "computenetworks.compute.cnrm.cloud.google.com", other],
    ["create", "roles.iam.services.k8s.aws", other],
    ["get", "secrets", { namespace: SYSTEM }],
    ["create", "rolebindings.rbac.authorization.k8s.io", { namespace: OWN }],
    ["create", "roles.rbac.authorization.k8s.io", { namespace: OWN }],
    ["create", "clusterrolebindings.rbac.authorization.k8s.io", {}],
    ["create", "customresourcedefinitions.apiextensions.k8s.io", {}],
    ["create", "pods", { namespace: OWN }],
    ["create", "serviceaccounts", { namespace: OWN }],
    ["impersonate", "serviceaccounts", { namespace: SYSTEM }],
    ["patch", "vmtemplates.composition.krateo.io", { namespace: OWN }],
  ])("%s %s %j", async (verb, resource, rest) => {
    expect(await may(IDENTITY, verb, resource, rest)).toBe(false);
  });

  it("but it installs what charts render in its own namespace", async () => {
    const own = { namespace: OWN };
    expect(await may(IDENTITY, "patch", "computenetworks.compute.cnrm.cloud.google.com", own)).toBe(true);
    expect(await may(IDENTITY, "create", "secrets", own)).toBe(true);
  });
});

describe("1: what the controller cannot do", () => {
  it.each([
    ["get", "secrets", { namespace: OWN }],
    ["list", "secrets", {}],
    ["create", "secrets", { namespace: OWN }],
    ["patch", "computenetworks.compute.cnrm.cloud.google.com", { namespace: OWN }],
    ["create", "roles.iam.services.k8s.aws", { namespace: OWN }],
    ["impersonate", "serviceaccounts", { namespace: OWN }],
    ["impersonate", "users", {}],
    ["impersonate", "groups", {}],
    ["bind", "clusterroles.rbac.authorization.k8s.io", { name: "cluster-admin" }],
    ["escalate", "clusterroles.rbac.authorization.k8s.io", { name: "landfall-charts" }],
    ["create", "clusterrolebindings.rbac.authorization.k8s.io", {}],
    ["delete", "rolebindings.rbac.authorization.k8s.io", { namespace: OWN, name: "owner" }],
  ])("%s %s %j", async (verb, resource, rest) => {
    expect(await may(CONTROLLER, verb, resource, rest)).toBe(false);
  });

  it("bind another role than that of the charts", async () => {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
    const subjects = [{ kind: "ServiceAccount", name: "landfall-composition", namespace: SYSTEM }];
    const kind = "RoleBinding";
    const binding = { apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata: { name: "grab" }, roleRef, subjects };
    const path = `${RBAC}/namespaces/${OTHER}/rolebindings`;
    const answer = await sendRequest(clientAs(CONTROLLER), path, { method: "POST", body: binding });
    expect([answer.status, String(answer.body["message"])]).toEqual([
      403,
      expect.stringMatching(/attempting to grant/),
    ]);
  });
});
