import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ApiAnswer, sendRequest } from "../../support/send-request.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";

const BASE = "/apis/elemento.landfall.dev/v1alpha1/namespaces/default";

let client: KubeClient;

beforeAll(async () => {
  client = createClient(await loadKubeconfig(inject("cluster").kubeconfig, {}));
});
afterAll(() => client.close());

type Spec = Record<string, unknown>;

const IMAGE = { name: "boot", type: "image", sizeGB: 50, bootable: true };
const CLOUD_INIT = { name: "seed", type: "cloud-init", sizeGB: 1 };
const POOL = { name: "a", minNodes: 1, maxNodes: 1, specs: { cpu: 2, memoryMiB: 2048, storageGB: 32 } };

const GOOD: Record<string, [plural: string, spec: Spec]> = {
  ElementoVm: [
    "elementovms",
    {
      name: "web",
      flavour: "neon",
      os: { family: "linux", flavour: "ubuntu", image: "ubuntu-24-04" },
      volumes: [IMAGE, CLOUD_INIT],
    },
  ],
  ElementoKaas: [
    "elementokaases",
    { name: "web", provider: "ovh", kubernetesVersion: "1.34", nodePools: [POOL], network: { cidr: "10.0.0.0/16" } },
  ],
  ElementoNetwork: ["elementonetworks", { name: "web", provider: "ovh", cidr: "10.0.0.0/24", dhcp: {} }],
  ElementoVolume: ["elementovolumes", { name: "web", provider: "ovh", sizeGB: 10 }],
};

let count = 0;

async function create(kind: string, change: Spec): Promise<ApiAnswer & { path: string }> {
  const [plural, spec] = GOOD[kind] ?? ["", {}];
  const name = `case-${String((count += 1))}`;
  const merged = Object.fromEntries(Object.entries({ ...spec, ...change }).filter(([, value]) => value !== undefined));
  const body = { apiVersion: "elemento.landfall.dev/v1alpha1", kind, metadata: { name }, spec: merged };
  const answer = await sendRequest(client, `${BASE}/${plural}?fieldValidation=Strict`, { method: "POST", body });
  return { ...answer, path: `${BASE}/${plural}/${name}` };
}

describe("the schemas of Elemento's kinds", () => {
  it.each(Object.keys(GOOD))("take a good %s", async (kind) => {
    const { status, body } = await create(kind, {});
    expect(body["message"]).toBeUndefined();
    expect(status).toBe(201);
  });

  const os = { family: "linux", flavour: "ubuntu", image: "ubuntu-24-04" };
  it.each<[kind: string, change: Spec, text: string]>([
    ["ElementoVm", { flavour: undefined }, "a flavour, or cpu and memory"],
    ["ElementoVm", { region: "fr-gravelines" }, "a region needs the provider"],
    ["ElementoVm", { volumes: [IMAGE, { ...IMAGE, name: "b" }] }, "at most one volume can be the image"],
    [
      "ElementoVm",
      { volumes: [IMAGE, CLOUD_INIT, { ...CLOUD_INIT, name: "b" }] },
      "at most one volume can be the cloud-init",
    ],
    ["ElementoVm", { volumes: [IMAGE, { ...IMAGE, type: "data" }] }, "Duplicate value"],
    ["ElementoVm", { volumes: [{ name: "d", type: "data", sizeGB: 1 }] }, "one volume must be bootable"],
    ["ElementoVm", { volumes: [{ name: "boot", type: "image" }] }, "sizeGB is missing"],
    [
      "ElementoVm",
      { volumes: [IMAGE, { name: "d", type: "data", existing: "0a", volumeRef: { name: "v" } }] },
      "exclude each other",
    ],
    ["ElementoVm", { os: { family: "linux", flavour: "ubuntu" } }, "needs os.image or os.imageUrl"],
    ["ElementoVm", { os: { ...os, imageUrl: "http://x/y" } }, "should match"],
    ["ElementoVm", { os: { ...os, family: "beos" } }, "Unsupported value"],
    ["ElementoVm", { os: { ...os, family: "windows" }, sshPublicKey: "k" }, "on Linux only"],
    ["ElementoVm", { volumes: [IMAGE], sshPublicKey: "k" }, "need a volume of the type cloud-init"],
    ["ElementoVm", { userData: "a", userDataSecret: { name: "s" } }, "exclude each other"],
    [
      "ElementoVm",
      { userData: "a", authentication: { username: "u", passwordSecret: { name: "s" } } },
      "excludes userData",
    ],
    ["ElementoVm", { cpu: { slots: 257 } }, "less than or equal to 256"],
    ["ElementoVm", { cpu: { slots: 1, archs: ["VAX"] } }, "Unsupported value"],
    ["ElementoVm", { memory: { sizeMiB: 100 } }, "greater than or equal to 256"],
    ["ElementoVm", { network: { cidr: "10.0.0.0/16", existing: "n" } }, "exclude each other"],
    ["ElementoVm", { network: { cidr: "10.0.0.300/16" } }, "should match"],
    ["ElementoVm", { additionalNetworks: [{}] }, "one of existing and networkRef"],
    ["ElementoVm", { pciDevices: [{ vendor: "10DE", model: "1bb1" }] }, "should match"],
    ["ElementoVm", { colour: "red" }, "unknown field"],
    ["ElementoKaas", { nodePools: [] }, "at least 1 items"],
    ["ElementoKaas", { nodePools: [POOL, POOL] }, "Duplicate value"],
    ["ElementoKaas", { nodePools: [{ ...POOL, minNodes: 2 }] }, "maxNodes is below minNodes"],
    ["ElementoKaas", { nodePools: [{ ...POOL, maxNodes: 3 }] }, "without autoscale"],
    [
      "ElementoKaas",
      { nodePools: [{ ...POOL, autoscale: true, maxNodes: 3, desiredNodes: 4 }] },
      "desiredNodes is not between",
    ],
    ["ElementoKaas", { nodePools: [{ ...POOL, specs: { ...POOL.specs, gpu: 9 } }] }, "less than or equal to 8"],
    ["ElementoKaas", { kubernetesVersion: "v1.34" }, "should match"],
    ["ElementoKaas", { updatePolicy: "SOMETIMES" }, "Unsupported value"],
    ["ElementoNetwork", { cidr: "10.0.0.0" }, "should match"],
    ["ElementoNetwork", { dhcp: { start: "10.0.0.5" } }, "must be given together"],
    [
      "ElementoNetwork",
      { dhcp: { hosts: [{ mac: "52:54:00:00:00:01", name: "a", address: "10.0.0.9" }] } },
      "need a range",
    ],
    [
      "ElementoNetwork",
      { routes: [{ address: "0.0.0.0", prefix: 33, gateway: "10.0.0.1" }] },
      "less than or equal to 32",
    ],
    ["ElementoNetwork", { mode: "bridge" }, "Unsupported value"],
    ["ElementoVolume", { type: "image" }, "an image volume needs image"],
    ["ElementoVolume", { image: "ubuntu-24-04" }, "belong to volumes of the type image"],
    ["ElementoVolume", { sizeGB: 0 }, "greater than or equal to 1"],
  ])("refuse %s with %j", async (kind, change, text) => {
    const { status, body } = await create(kind, change);
    expect(body["message"]).toContain(text);
    expect(status).not.toBe(201);
  });

  it.each<[kind: string, change: Spec, field: string]>([
    ["ElementoVm", { flavour: "argon" }, "flavour of a machine"],
    ["ElementoKaas", { nodePools: [{ ...POOL, minNodes: 2, maxNodes: 2 }] }, "nodePools of a cluster"],
    ["ElementoNetwork", { cidr: "10.1.0.0/24" }, "cidr of a network"],
    ["ElementoVolume", { sizeGB: 20 }, "sizeGB of a volume"],
  ])("let %s change %j only before it exists", async (kind, change, field) => {
    const { path } = await create(kind, {});
    const patch = async (at: string, body: unknown): Promise<ApiAnswer> =>
      sendRequest(client, at, { method: "PATCH", body });
    expect(await patch(path, { spec: { name: "other" } })).toMatchObject({ status: 200 });
    expect(await patch(`${path}/status`, { status: { id: "0a" } })).toMatchObject({ status: 200 });
    const refused = await patch(path, { spec: change });
    expect(refused.body["message"]).toContain(`${field} that exists cannot be changed`);
    expect(await patch(path, { spec: { deletionPolicy: "retain" } })).toMatchObject({ status: 200 });
  });
});
