import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { sendRequest } from "../../support/send-request.ts";
import { applyObject } from "../../../src/local/control-plane/apply-object.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { isObject } from "../../../src/model/json.ts";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";

const EC2 = "/apis/ec2.services.k8s.aws/v1alpha1/namespaces/default";
const AZURE = "/apis/network.azure.com/v1api20240301/namespaces/default";
const GCP = "/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/default";

let client: KubeClient;

beforeAll(async () => {
  client = createClient(await loadKubeconfig(inject("cluster").kubeconfig, {}));
});
afterAll(() => client.close());

/** Kinds whose CRD was applied a moment ago are not served yet. */
async function apply(text: string): Promise<void> {
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as KubernetesObject;
    await vi.waitFor(() => applyObject(client, object), { timeout: 30_000, interval: 200 });
  }
}

type Status = Record<string, unknown> & { conditions?: Record<string, unknown>[] };

async function statusOf(path: string): Promise<Status> {
  const { body } = await sendRequest(client, path);
  return isObject(body["status"]) ? body["status"] : {};
}

const condition = (status: Status, type: string): Record<string, unknown> | undefined =>
  status.conditions?.find((one) => one["type"] === type);

/** Waits until the condition has these fields, and answers the whole status. */
async function until(path: string, type: string, expected: Record<string, unknown>): Promise<Status> {
  return vi.waitFor(
    async () => {
      const status = await statusOf(path);
      expect(condition(status, type)).toMatchObject(expected);
      return status;
    },
    { timeout: 30_000, interval: 100 },
  );
}

const isGone = async (path: string): Promise<void> => {
  await vi.waitFor(async () => expect((await sendRequest(client, path)).status).toBe(404), {
    timeout: 30_000,
    interval: 100,
  });
};

test("AWS: references are named while they are waited for, ids appear, a used network is not deleted", async () => {
  await apply(`
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: Subnet
metadata: {name: subnet, namespace: default, annotations: {services.k8s.aws/region: eu-west-1}}
spec: {cidrBlock: 10.0.1.0/24, vpcRef: {from: {name: vpc}}}
`);
  await until(`${EC2}/subnets/subnet`, "ACK.ReferencesResolved", { status: "Unknown" });
  await apply(`
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: VPC
metadata: {name: vpc, namespace: default, annotations: {services.k8s.aws/region: eu-west-1}}
spec: {cidrBlocks: [10.0.0.0/16]}
`);
  const { subnetID } = await until(`${EC2}/subnets/subnet`, "ACK.ResourceSynced", { status: "True" });
  expect(subnetID).toMatch(/^subnet-[0-9a-f]{17}$/);
  await sendRequest(client, `${EC2}/vpcs/vpc`, { method: "DELETE" });
  await until(`${EC2}/vpcs/vpc`, "ACK.Recoverable", { status: "True" });
  await sendRequest(client, `${EC2}/subnets/subnet`, { method: "DELETE" });
  await isGone(`${EC2}/vpcs/vpc`);
});

test("Azure: children carry their owner, which the garbage collector goes by", async () => {
  await apply(`
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata: {name: group, namespace: default}
spec: {location: westeurope}
---
apiVersion: network.azure.com/v1api20240301
kind: VirtualNetwork
metadata: {name: net, namespace: default}
spec: {location: westeurope, owner: {name: group}, addressSpace: {addressPrefixes: [10.0.0.0/16]}}
`);
  const { id } = await until(`${AZURE}/virtualnetworks/net`, "Ready", { status: "True", reason: "Succeeded" });
  expect(id).toMatch(/\/resourceGroups\/group\/providers\/Microsoft.Network\/virtualNetworks\/net$/);
  const groups = "/apis/resources.azure.com/v1api20200601/namespaces/default/resourcegroups";
  const { metadata } = (await sendRequest(client, `${groups}/group`)).body as unknown as KubernetesObject;
  const child = (await sendRequest(client, `${AZURE}/virtualnetworks/net`)).body;
  expect(child["metadata"]).toMatchObject({
    ownerReferences: [{ kind: "ResourceGroup", name: "group", uid: metadata.uid }],
  });
  // At once, as Helm does it; the owner does not wait for what goes with it.
  for (const path of [`${groups}/group`, `${AZURE}/virtualnetworks/net`]) {
    await sendRequest(client, path, { method: "DELETE" });
  }
  await Promise.all([isGone(`${groups}/group`), isGone(`${AZURE}/virtualnetworks/net`)]);
});

test("GCP: a refusal is taken back when its cause goes, and what is fixed stays fixed", async () => {
  const instance = (spec: string, labels = "{}"): string => `
apiVersion: compute.cnrm.cloud.google.com/v1beta1
kind: ComputeInstance
metadata: {name: vm, namespace: default, labels: ${labels}}
spec:
  machineType: e2-standard-2
  bootDisk: {initializeParams: {sourceImageRef: {external: debian-cloud/debian-12}}}
  networkInterface: [{subnetworkRef: {external: projects/shared/regions/europe-west8/subnetworks/apps}}]
  ${spec}
`;
  const path = `${GCP}/computeinstances/vm`;
  await apply(instance("zone: europe-west8-b", "{simulate: quota-exceeded}"));
  const refused = await until(path, "Ready", { status: "False", reason: "UpdateFailed" });
  expect(condition(refused, "Ready")?.["message"]).toContain("quotaExceeded");
  await apply(instance("zone: europe-west8-b", "{simulate: none}"));
  const made = await until(path, "Ready", { status: "True", reason: "UpToDate" });
  expect(made).toMatchObject({ currentStatus: "RUNNING", observedGeneration: 1 });
  await apply(instance("zone: europe-west8-c", "{simulate: none}"));
  const changed = await until(path, "Ready", { status: "False", reason: "UpdateFailed" });
  expect(condition(changed, "Ready")?.["message"]).toContain("immutable field(s): [zone]");
  expect(changed["observedGeneration"]).toBe(2);
});
