import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { conditionsOf } from "../../../src/model/kubernetes.ts";
import { formatTime, nowSeconds } from "../../../src/model/time.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const NAMESPACE = "tenant-26";
const LIMIT = { timeout: 60_000, interval: 200 };
const POLICIES = "/apis/admissionregistration.k8s.io/v1";
const COMPOSITION = "composition.krateo.io/v0-1-0";
const AZURE = { provider: "azure", schedulingLocation: "northeurope" };
const GOOGLE = { provider: "gcp", schedulingLocation: "europe-west1" };

let admin: KubeClient & TextClient;
let tenant: Tenant;

const objects = (name = "") => `/apis/${COMPOSITION}/namespaces/${NAMESPACE}/vmtemplates${name && `/${name}`}`;
const azure = (name: string) => `/apis/compute.azure.com/v1api20220301/namespaces/${NAMESPACE}/virtualmachines/${name}`;
const google = (name: string) =>
  `/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/computeinstances/${name}`;

/** Lets helm fail after it made a machine on Google Cloud, as a quota would. */
async function denyNetworks(): Promise<void> {
  const name = "deny-networks-26";
  const resourceRules = [
    {
      ...{ apiGroups: ["compute.cnrm.cloud.google.com"], apiVersions: ["*"] },
      ...{ operations: ["CREATE"], resources: ["computenetworks"] },
    },
  ];
  const about = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name } };
  await admin.create(`${POLICIES}/validatingadmissionpolicies`, {
    ...{ ...about, kind: "ValidatingAdmissionPolicy" },
    spec: { matchConstraints: { resourceRules }, validations: [{ expression: "false" }] },
  });
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": NAMESPACE } };
  await admin.create(`${POLICIES}/validatingadmissionpolicybindings`, {
    ...{ ...about, kind: "ValidatingAdmissionPolicyBinding" },
    spec: { policyName: name, validationActions: ["Deny"], matchResources: { namespaceSelector } },
  });
  // The API server follows a policy some time after it has stored it.
  const networks = `/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/computenetworks`;
  await vi.waitFor(async () => {
    const network = { apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeNetwork" };
    const made = admin.create(networks, { ...network, metadata: { name: "probe-26" }, spec: {} });
    await made.then(
      () => admin.remove(`${networks}/probe-26`),
      () => undefined,
    );
    await expect(made).rejects.toThrow(name);
  }, LIMIT);
}

beforeAll(async () => {
  const { kubeconfig } = inject("cluster");
  admin = textClient(createClient(await loadKubeconfig(kubeconfig, {})));
  tenant = await createTenant(kubeconfig, NAMESPACE);
  await denyNetworks();
});

afterAll(async () => {
  await admin.remove(`${POLICIES}/validatingadmissionpolicybindings/deny-networks-26`);
  await admin.remove(`${POLICIES}/validatingadmissionpolicies/deny-networks-26`);
  await tenant.close();
  await admin.close();
});

const exists = (path: string) => vi.waitFor(async () => expect(await tenant.client.get(path)).not.toBeNull(), LIMIT);
const isGone = (path: string) => vi.waitFor(async () => expect(await tenant.client.get(path)).toBeNull(), LIMIT);

const move = (name: string, to: object): Promise<Resource> =>
  tenant.client.patch<Resource>(objects(name), "merge", {
    metadata: { annotations: { "landfall.dev/allow-move": "true" } },
    spec: { ...to, zone: null, image: null, instanceType: null },
  });

/** A machine on Azure whose move to Google Cloud failed in the middle. */
async function failToMove(name: string): Promise<void> {
  await tenant.client.create(objects(), {
    ...{ apiVersion: COMPOSITION, kind: "VmTemplate", metadata: { name } },
    // With a time of its own, what goes back has the very values of the deployed revision.
    spec: { cpu: 2, memory: 4, schedulingTime: formatTime(nowSeconds()), ...AZURE },
  });
  await exists(azure(name));
  await vi.waitFor(async () => {
    const object = await tenant.client.get<Resource>(objects(name));
    // Nothing is left to do for the first place: what goes back to it must not count as settled.
    expect(conditionsOf(object ?? {}).find(({ type }) => type === "Ready")?.status).toBe("True");
  }, LIMIT);
  await move(name, GOOGLE);
  await exists(google(name));
  await vi.waitFor(async () => {
    const object = await tenant.client.get<Resource>(objects(name));
    expect(JSON.stringify(object?.status)).toContain("deny-networks-26");
  }, LIMIT);
  expect(await tenant.client.get(azure(name))).not.toBeNull();
}

it("a deletion after a failed move removes the resources of both places", async () => {
  await failToMove("mover");
  await tenant.client.remove(objects("mover"));
  await isGone(objects("mover"));
  expect(await tenant.client.get(azure("mover"))).toBeNull();
  expect(await tenant.client.get(google("mover"))).toBeNull();
});

it("a failed move that is taken back leaves nothing in the other place", async () => {
  await failToMove("back");
  const before = await tenant.client.get<Resource>(azure("back"));
  await move("back", AZURE);
  await isGone(google("back"));
  const machine = await tenant.client.get<Resource>(azure("back"));
  expect(machine?.metadata).toMatchObject({ uid: before?.metadata.uid });
  expect(machine?.metadata.deletionTimestamp).toBeUndefined();
  await tenant.client.remove(objects("back"));
  await isGone(objects("back"));
});
