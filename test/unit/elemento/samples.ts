import type { Cluster, Network, Vm, Volume } from "../../../src/elemento/api/types.ts";
import { FINALIZER } from "../../../src/elemento/kinds.ts";
import { ownName, sharedName } from "../../../src/elemento/own-name.ts";
import { readElementoCatalog } from "../../../src/elemento/read-elemento-catalog.ts";
import type { KaasWorld } from "../../../src/elemento/step/next-kaas-step.ts";
import type { VmWorld } from "../../../src/elemento/step/vm-step-input.ts";
import type { ElementoObject, ElementoStatus, KaasSpec, VmSpec } from "../../../src/elemento/types.ts";

export const UID = "0b8f6c1e-6a55-4c7f-9e0e-2f1c0a9d7b11";
export const NOW = Date.parse("2026-11-21T08:00:00Z");
export const at = (ms: number): string => new Date(NOW + ms).toISOString();

export const catalog = await readElementoCatalog(new URL("../../../catalog", import.meta.url).pathname);

const VM_SPEC: VmSpec = {
  name: "web",
  provider: "ovh",
  flavour: "neon",
  os: { family: "linux", flavour: "ubuntu", image: "ubuntu-24-04" },
  volumes: [
    { name: "seed", type: "cloud-init", sizeGB: 1 },
    { name: "boot", type: "image", sizeGB: 50, bootable: true },
  ],
  network: { dhcp: true },
  powerState: "running",
  deletionPolicy: "delete",
};

const METADATA = { name: "web", namespace: "demo", uid: UID, generation: 1, finalizers: [FINALIZER] };
const PLACED: ElementoStatus = { placement: { provider: "ovh", region: "gra7" } };

interface Change<Spec> {
  spec?: Partial<Spec>;
  status?: ElementoStatus;
  metadata?: Partial<ElementoObject["metadata"]>;
}

export const vmObject = ({ spec, status, metadata }: Change<VmSpec> = {}): ElementoObject<VmSpec> => ({
  apiVersion: "elemento.landfall.dev/v1alpha1",
  kind: "ElementoVm",
  metadata: { ...METADATA, ...metadata },
  spec: { ...VM_SPEC, ...spec },
  status: status ?? PLACED,
});

/** An hour old, and nothing there. */
export const vmWorld = (change: Partial<VmWorld> = {}): VmWorld => ({
  ...{ vms: [], volumes: [], networks: [], references: {} },
  ...{ listedAt: NOW, startedAt: NOW - 3_600_000, catalog },
  ...change,
});

export const SEED = ownName("seed", UID, Infinity);
export const BOOT = ownName("boot", UID, Infinity);
export const WEB = ownName("web", UID);
export const NET = sharedName("web", { namespace: "demo", uid: UID });

export const volume = (id: string, name: string, change: Partial<Volume> = {}): Volume => ({
  ...{ id, name, state: "available", sizeGB: 50, bootable: false, cloudInit: false, vmIds: [] },
  ...change,
});
export const network = (id: string, name = NET, cidr = "10.130.0.0/24"): Network => ({ id, name, cidr });
export const vm = (id: string, change: Partial<Vm> = {}): Vm => ({
  ...{ id, name: WEB, state: "running", ipv4: "10.0.0.2", slots: 2, memoryMiB: 2048, labels: {} },
  ...{ volumeIds: ["v1", "v2"], createdAt: at(-60_000) },
  ...change,
});

/** All volumes and the network, ready for the machine. */
export const PARTS = {
  volumes: [volume("v1", BOOT, { vmIds: [] }), volume("v2", SEED, { cloudInit: true })],
  networks: [network("n1")],
};

const KAAS_SPEC: KaasSpec = {
  ...{ name: "edge", provider: "ovh", kubernetesVersion: "1.34", controlPlaneHA: false },
  ...{ updatePolicy: "MANUAL", billing: "month", deletionPolicy: "delete" },
  nodePools: [
    {
      ...{ name: "a", autoscale: false, minNodes: 3, maxNodes: 3, sharedStorageGB: 0 },
      specs: { cpu: 2, memoryMiB: 2048, storageGB: 32, gpu: 0 },
    },
  ],
};

export const EDGE = ownName("edge", UID);

export const kaasObject = ({ spec, status, metadata }: Change<KaasSpec> = {}): ElementoObject<KaasSpec> => ({
  apiVersion: "elemento.landfall.dev/v1alpha1",
  kind: "ElementoKaas",
  metadata: { ...METADATA, name: "edge", ...metadata },
  spec: { ...KAAS_SPEC, ...spec },
  status: status ?? PLACED,
});

export const kaasWorld = (change: Partial<KaasWorld> = {}): KaasWorld => ({
  ...{ clusters: [], secretWritten: true, listedAt: NOW, startedAt: NOW - 3_600_000, catalog },
  ...change,
});

export const cluster = (id: string, change: Partial<Cluster> = {}): Cluster => ({
  ...{
    id,
    name: EDGE,
    state: "running",
    kubernetesVersion: "1.34",
    cidr: null,
    location: null,
    endpoint: null,
    labels: {},
  },
  ...change,
});
