import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { apiPath, type ApiPath } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { valueAt } from "../../../src/composition/managed/read-awaits.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { TERMINATED_BY_HAND } from "../../../src/local/simulators/ack/ack-instance.ts";
import { conditionsOf } from "../../../src/model/kubernetes.ts";

const { kubeconfig } = inject("cluster");
const NAMESPACE = "replaced-machine";
const objects = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates`;
const object = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates/web`;
const alone = apiPath`/apis/ec2.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/instances`;
const EC2 = "ec2.services.k8s.aws/v1alpha1";

interface Event {
  type: string;
  reason: string;
  message: string;
}

let client: KubeClient;

const read = async (path: ApiPath): Promise<Resource> => {
  const found = await client.get<Resource>(path);
  if (found === null) throw new TypeError("it is not there");
  return found;
};
const until = <T>(look: () => Promise<T>): Promise<T> => vi.waitFor(look, { timeout: 60_000, interval: 200 });
const conditionsAt = async (path: ApiPath) =>
  conditionsOf(await read(path)).map(({ type, status }) => `${type} ${status}`);

const instanceAt = (name: string): ApiPath =>
  apiPath`/apis/ec2.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/instances/${name}`;

/** Somebody terminates the machine in AWS, and its operator is asked to look. */
async function terminate(path: ApiPath): Promise<string> {
  const id = String(valueAt(await read(path), "status.instanceID"));
  await client.patch(path, "merge", { metadata: { annotations: { [TERMINATED_BY_HAND]: id } } });
  await client.patch(path, "merge", { spec: { maxCount: 1 } });
  return id;
}

beforeAll(async () => {
  client = createClient(await loadKubeconfig(kubeconfig, {}));
  const metadata = { name: NAMESPACE };
  await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
});
afterAll(() => client.close());

describe("a machine of AWS that was terminated by hand", () => {
  it("is not created again with the network card that ACK wrote into its spec, until that is removed", async () => {
    await client.create(alone, {
      ...{ apiVersion: EC2, kind: "Instance", metadata: { name: "alone", namespace: NAMESPACE } },
      spec: { imageID: "ami-0123456789abcdef0", instanceType: "m5.large", subnetID: "subnet-1" },
    });
    const path = instanceAt("alone");
    await until(async () => expect(await conditionsAt(path)).toContain("Ready True"));
    const id = await terminate(path);
    await until(async () => {
      const found = conditionsOf(await read(path)).find(({ type }) => type === "ACK.Recoverable");
      expect(found?.message).toMatch(/^api error InvalidParameterCombination: Network interfaces/);
    });
    expect(valueAt(await read(path), "status.instanceID")).toBe(id);
    await client.patch(path, "merge", { spec: { networkInterfaces: null } });
    await until(async () => expect(valueAt(await read(path), "status.instanceID")).not.toBe(id));
    expect(await conditionsAt(path)).toContain("Ready True");
  });

  it("comes back under Landfall's controller, with its disks, and an Event says so", async () => {
    await client.create(objects, {
      ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
      metadata: { name: "web", namespace: NAMESPACE },
      spec: { provider: "aws", cpu: 1, memory: 2, os: "ubuntu-24.04" },
    });
    const path = instanceAt("web");
    await until(async () => {
      expect(await conditionsAt(object)).toContain("Ready True");
      const { spec } = await read(path);
      expect([spec?.["networkInterfaces"], spec?.["blockDeviceMappings"]]).toEqual([undefined, expect.any(Array)]);
      expect(valueAt(await read(object), "status.machine.id")).toMatch(/^i-/);
    });
    const id = await terminate(path);
    await until(async () => {
      expect(valueAt(await read(object), "status.machine.previousId")).toBe(id);
      expect(valueAt(await read(path), "spec.blockDeviceMappings")).toHaveLength(1);
    });
    const events = await until(async () => {
      const found = await client.get<{ items: Event[] }>(apiPath`/api/v1/namespaces/${NAMESPACE}/events`);
      const warnings = (found?.items ?? []).filter(({ type }) => type === "Warning");
      expect(warnings).not.toEqual([]);
      return warnings;
    });
    expect(events.map(({ reason }) => reason)).toEqual(["MachineReplaced"]);
    expect(events[0]?.message).toContain(id);
  });
});
