import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { readUserData } from "../../../src/elemento/operator/create-things.ts";
import type { ElementoObject, VmSpec } from "../../../src/elemento/types.ts";
import { sendRequest } from "../../support/send-request.ts";

const NAMES = ["../../payroll/secrets/db", "..", "a/b", "A", "a_b", "-a", "a.", "a..b"];

let client: KubeClient;

beforeAll(async () => {
  client = createClient(await loadKubeconfig(inject("cluster").kubeconfig, {}));
  for (const name of ["tenant-19", "payroll-19"]) {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await sendRequest(client, "/api/v1/namespaces", { method: "POST", body });
  }
  const metadata = { name: "db" };
  const body = { apiVersion: "v1", kind: "Secret", metadata, stringData: { userData: "payroll-password" } };
  await sendRequest(client, "/api/v1/namespaces/payroll-19/secrets", { method: "POST", body });
});
afterAll(() => client.close());

const MACHINE = {
  name: "web",
  flavour: "neon",
  os: { family: "linux", flavour: "ubuntu", image: "ubuntu-24-04" },
  volumes: [
    { name: "boot", type: "image", sizeGB: 50, bootable: true },
    { name: "seed", type: "cloud-init", sizeGB: 1 },
  ],
};
const POOL = { name: "a", minNodes: 1, maxNodes: 1, specs: { cpu: 2, memoryMiB: 2048, storageGB: 32 } };
const CLUSTER = { name: "web", provider: "ovh", kubernetesVersion: "1.34", nodePools: [POOL] };

async function create(kind: string, plural: string, spec: object): Promise<{ status: number; message: string }> {
  const body = { apiVersion: "elemento.landfall.dev/v1alpha1", kind, metadata: { generateName: "a-" }, spec };
  const path = `/apis/elemento.landfall.dev/v1alpha1/namespaces/tenant-19/${plural}?dryRun=All`;
  const answer = await sendRequest(client, path, { method: "POST", body });
  return { status: answer.status, message: String(answer.body["message"]) };
}

describe("19: names of Secrets in Elemento's kinds", () => {
  const fields: [field: string, kind: string, plural: string, spec: (name: string) => object][] = [
    ["userDataSecret", "ElementoVm", "elementovms", (name) => ({ ...MACHINE, userDataSecret: { name } })],
    ["credentialsSecret", "ElementoVm", "elementovms", (name) => ({ ...MACHINE, credentialsSecret: { name } })],
    [
      "passwordSecret",
      "ElementoVm",
      "elementovms",
      (name) => ({ ...MACHINE, authentication: { username: "me", passwordSecret: { name } } }),
    ],
    ["networkRef", "ElementoVm", "elementovms", (name) => ({ ...MACHINE, network: { networkRef: { name } } })],
    ["kubeconfigSecret", "ElementoKaas", "elementokaases", (name) => ({ ...CLUSTER, kubeconfigSecret: { name } })],
    ["credentialsSecret", "ElementoKaas", "elementokaases", (name) => ({ ...CLUSTER, credentialsSecret: { name } })],
  ];

  it.each(fields)("%s of %s is a DNS name", async (field, kind, plural, specOf) => {
    expect((await create(kind, plural, specOf("db.team-1"))).status).toBe(201);
    for (const name of NAMES) {
      const { status, message } = await create(kind, plural, specOf(name));
      expect({ name, status }).toEqual({ name, status: 422 });
      expect(message).toContain(`${field}.name`);
    }
  });

  it("an object from before the pattern reads no Secret of another namespace", async () => {
    const metadata = { name: "vm", namespace: "tenant-19" };
    const spec = { userDataSecret: { name: "../../payroll-19/secrets/db" } };
    const object = { metadata, spec } as unknown as ElementoObject<VmSpec>;
    await expect(readUserData(client, object)).rejects.toMatchObject({ code: "REL_PATH" });
  });
});
