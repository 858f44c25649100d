import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { actAs } from "../../../src/cluster/client/act-as.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { RestConfig } from "../../../src/cluster/client/rest-config.ts";
import { readManifests } from "../../../src/local/control-plane/read-manifests.ts";
import { type Emergency, emergencyCondition } from "../../../src/model/emergency.ts";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";
import { sendRequest } from "../../support/send-request.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const NAMESPACE = "krateo-01";
const POLICIES = "/apis/admissionregistration.k8s.io/v1";
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;

let config: RestConfig;
let admin: KubeClient & TextClient;
let tenant: Tenant;
const made: string[] = [];

const secretOf = (release: string, type = "helm.sh/release.v1") => {
  const metadata = { name: `sh.helm.release.v1.${release}.v1`, labels: { owner: "helm", name: release } };
  return { apiVersion: "v1", kind: "Secret", type, metadata };
};

async function create(client: KubeClient, body: object, path = SECRETS): Promise<{ status: number; message: string }> {
  const answer = await sendRequest(client, path, { method: "POST", body });
  return { status: answer.status, message: String(answer.body["message"]) };
}

interface Policy extends KubernetesObject {
  spec: { matchConstraints?: { resourceRules: object[] }; paramRef?: object };
}

/** The policies about compositions, for ConfigMaps: the webhook of this cluster decides every VmTemplate. */
function onConfigMaps({ spec, ...policy }: Policy): object {
  if (policy.metadata.name === "releases.landfall.dev") return { ...policy, spec };
  const resourceRules = spec.matchConstraints?.resourceRules.map((rule) => ({
    ...rule,
    ...{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
  }));
  return { ...policy, spec: { ...spec, matchConstraints: { resourceRules } } };
}

/** In place of placement.landfall.dev, which this cluster's webhook keeps as it is. */
const CONFIGURATIONS = `${POLICIES}/mutatingwebhookconfigurations`;
const configuration = (conditions: object[] = []): object => ({
  ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration" },
  metadata: { name: NAMESPACE },
  webhooks: [
    {
      ...{ name: "placement.landfall.dev", clientConfig: { url: "https://127.0.0.1:1" }, sideEffects: "None" },
      ...{ admissionReviewVersions: ["v1"], rules: [], matchConditions: conditions },
    },
  ],
});

async function createAs(user: string, body: object): Promise<number> {
  const client = createClient(actAs(config, user));
  const { status } = await create(client, body);
  await client.close();
  return status;
}

beforeAll(async () => {
  const { kubeconfig } = inject("cluster");
  config = await loadKubeconfig(kubeconfig, {});
  admin = textClient(createClient(config));
  tenant = await createTenant(kubeconfig, NAMESPACE);
  const subjects = ["other", "krateo-system"].map((namespace) => ({
    ...{ kind: "ServiceAccount", name: "controller", namespace },
  }));
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "owner" };
  await admin.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`, {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "controllers" } },
    ...{ roleRef, subjects },
  });
  await admin.create(CONFIGURATIONS, configuration());
  made.push(`${CONFIGURATIONS}/${NAMESPACE}`);
  const path = new URL("../../../charts/landfall/krateo/admission-policies.yaml", import.meta.url).pathname;
  // Only this file's namespace: other files of this cluster write such Secrets on purpose.
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": NAMESPACE } };
  for (const { object } of await readManifests(path)) {
    const isBinding = object.kind === "ValidatingAdmissionPolicyBinding";
    const { spec } = object as Policy;
    const paramRef = spec.paramRef && { ...spec.paramRef, name: NAMESPACE };
    const body = isBinding
      ? { ...object, spec: { ...spec, ...(paramRef && { paramRef }), matchResources: { namespaceSelector } } }
      : onConfigMaps(object as Policy);
    const collection = `${POLICIES}/${isBinding ? "validatingadmissionpolicybindings" : "validatingadmissionpolicies"}`;
    await admin.create(collection, body);
    made.push(`${collection}/${object.metadata.name ?? ""}`);
  }
  // The API server needs a moment to learn of a policy.
  let probe = 0;
  await vi.waitFor(
    async () => {
      probe += 1;
      const name = `probe${probe}-12345678`;
      expect((await create(tenant.client, secretOf(name))).status).toBe(403);
    },
    { timeout: 30_000, interval: 500 },
  );
});

afterAll(async () => {
  for (const path of made) await admin.remove(path);
  await Promise.all([tenant.close(), admin.close()]);
});

describe("1: release Secrets of compositions under Krateo's controller", () => {
  it("are not created by a tenant, whatever their type", async () => {
    const refused = await create(tenant.client, secretOf("web-12345678"));
    expect(refused).toEqual({ status: 403, message: expect.stringContaining("[releases.landfall.dev]") as string });
    expect((await create(tenant.client, secretOf("web-12345678", "Opaque"))).status).toBe(403);
  });

  it("are written by Krateo, and neither changed nor deleted by a tenant", async () => {
    expect(await createAs("system:serviceaccount:other:controller", secretOf("db-12345678"))).toBe(403);
    expect(await createAs("system:serviceaccount:krateo-system:controller", secretOf("db-12345678"))).toBe(201);
    const path = `${SECRETS}/sh.helm.release.v1.db-12345678.v1`;
    const patch = { method: "PATCH", body: { data: { release: "" } } } as const;
    expect((await sendRequest(tenant.client, path, patch)).status).toBe(403);
    expect((await sendRequest(tenant.client, path, { method: "DELETE" })).status).toBe(403);
    expect((await sendRequest(tenant.client, SECRETS)).status).toBe(200);
  });

  it("leave a tenant's own releases and other Secrets alone", async () => {
    expect((await create(tenant.client, secretOf("my-shop"))).status).toBe(201);
    const own = { apiVersion: "v1", kind: "Secret", metadata: { name: "web-12345678" } };
    expect((await create(tenant.client, own)).status).toBe(201);
    expect((await sendRequest(tenant.client, `${SECRETS}/web-12345678`, { method: "DELETE" })).status).toBe(200);
  });
});

describe("3: objects under Krateo's controller", () => {
  const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
  const decided = { "landfall.dev/decision": "{}", "landfall.dev/seal": "x" };
  const map = (name: string, annotations?: object) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...(annotations && { annotations }) } },
  });
  let count = 0;
  /** The answer to an object without a decision. The API server needs a moment to learn of a change. */
  const undecided = async () => create(tenant.client, map(`undecided-${String((count += 1))}`), maps);
  const refused = { status: 403, message: expect.stringContaining("[decisions.landfall.dev]") as string };
  const soon = { timeout: 30_000, interval: 500 };

  it("are refused while the webhook is not registered, whatever annotations they bring", async () => {
    await admin.remove(`${CONFIGURATIONS}/${NAMESPACE}`);
    await vi.waitFor(async () => {
      const answer = await create(tenant.client, map(`forged-${String((count += 1))}`, decided), maps);
      expect(answer).toEqual({ status: 422, message: expect.stringContaining("'decisions.landfall.dev'") as string });
    }, soon);
    expect((await undecided()).status).toBe(422);
    await admin.create(CONFIGURATIONS, configuration());
    await vi.waitFor(async () => expect(await undecided()).toEqual(refused), soon);
  });

  it("are refused without a decision, and do not lose it", async () => {
    expect(await undecided()).toEqual(refused);
    const unsigned = { "landfall.dev/decision": "{}" };
    expect((await create(tenant.client, map("unsigned", unsigned), maps)).status).toBe(403);
    expect((await create(tenant.client, map("decided", decided), maps)).status).toBe(201);
    const without = { metadata: { annotations: { "landfall.dev/seal": null } } };
    const lost = await sendRequest(tenant.client, `${maps}/decided`, { method: "PATCH", body: without });
    expect([lost.status, lost.body["message"]]).toEqual([
      403,
      expect.stringContaining("[kept-decisions.landfall.dev]"),
    ]);
  });

  it("are created without one in an emergency of their namespace, and refused again after it", async () => {
    const during = async (...lasting: Emergency[]): Promise<void> => {
      const condition = emergencyCondition(lasting);
      await admin.patch(
        `${CONFIGURATIONS}/${NAMESPACE}`,
        "merge",
        configuration(condition === null ? [] : [condition]),
      );
    };
    const emergency = (namespaces: string[] | null): Emergency => ({
      ...{ namespaces, from: "2026-01-01T00:00:00Z", until: "2026-01-01T01:00:00Z", by: "a", reason: "x" },
    });
    await during(emergency(["a", NAMESPACE]));
    await vi.waitFor(async () => expect((await undecided()).status).toBe(201), soon);
    await during(emergency([`${NAMESPACE}1`, "krateo-0"]));
    await vi.waitFor(async () => expect(await undecided()).toEqual(refused), soon);
    await during(emergency(null));
    await vi.waitFor(async () => expect((await undecided()).status).toBe(201), soon);
    const body = { metadata: { labels: { note: "x" } } };
    const path = `${maps}/undecided-${String(count)}`;
    expect((await sendRequest(tenant.client, path, { method: "PATCH", body })).status).toBe(200);
    await during();
    await vi.waitFor(async () => expect(await undecided()).toEqual(refused), soon);
  });
});

describe("1: the label of the release under Krateo's controller", () => {
  const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
  const decided = { "landfall.dev/decision": "{}", "landfall.dev/seal": "x" };
  const map = (name: string, release: string | null) => {
    const labels = { "krateo.io/release-name": release };
    return {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, annotations: decided, ...(release !== null && { labels }) },
    };
  };
  const relabel = async (name: string, release: string | null): Promise<number> => {
    const body = { metadata: { labels: { "krateo.io/release-name": release } } };
    return (await sendRequest(tenant.client, `${maps}/${name}`, { method: "PATCH", body })).status;
  };

  it("names only releases whose Secrets are protected", async () => {
    const refused = await create(tenant.client, map("evil", "evil"), maps);
    expect(refused).toEqual({
      status: 403,
      message: expect.stringContaining("[release-names.landfall.dev]") as string,
    });
    expect((await create(tenant.client, map("web", "web-12345678"), maps)).status).toBe(201);
    expect((await create(tenant.client, map("new", null), maps)).status).toBe(201);
    expect(await relabel("new", "evil")).toBe(403);
  });

  it("is changed by Krateo alone once it is set", async () => {
    expect(await relabel("web", "web-87654321")).toBe(403);
    const krateo = createClient(actAs(config, "system:serviceaccount:krateo-system:controller"));
    const body = { metadata: { labels: { "krateo.io/release-name": "web-87654321" } } };
    expect((await sendRequest(krateo, `${maps}/web`, { method: "PATCH", body })).status).toBe(200);
    await krateo.close();
    const same = { metadata: { labels: { note: "x" } } };
    expect((await sendRequest(tenant.client, `${maps}/web`, { method: "PATCH", body: same })).status).toBe(200);
  });
});
