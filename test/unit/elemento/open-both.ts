import { type ClientOptions, DEFAULTS, serviceUrls } from "../../../src/elemento/api/client-options.ts";
import type { ElementoApi } from "../../../src/elemento/api/elemento-api.ts";
import { openClient } from "../../../src/elemento/api/open-client.ts";
import type { ClusterRequest, MachineShape, VmRequest } from "../../../src/elemento/api/types.ts";
import { type Settings, USUAL } from "../../doubles/elemento/settings.ts";
import { type Double, type DoubleOptions, startDouble } from "../../doubles/elemento/start-double.ts";

export interface Both extends AsyncDisposable {
  double: Double;
  api: ElementoApi;
}

/** A double and a client of it, both quick. */
export async function openBoth(
  settings: Partial<Settings> = {},
  options: Partial<ClientOptions> = {},
  rest: Pick<DoubleOptions, "seed" | "nowMs"> = {},
): Promise<Both> {
  const double = await startDouble({
    settings: { vmMs: 0, volumeMs: 0, clusterMs: 0, deleteMs: 0, ...settings },
    ...rest,
  });
  const api = openClient({
    ...DEFAULTS,
    urls: serviceUrls(double.url),
    account: { username: USUAL.username, password: USUAL.password },
    requestsPerSecond: 1000,
    timeoutMs: 2000,
    firstPauseMs: 1,
    ...options,
  });
  return {
    double,
    api,
    [Symbol.asyncDispose]: async () => {
      await api.close();
      await double.close();
    },
  };
}

export const PLACE = { provider: "ovh", region: "gra7" } as const;

export const MACHINE: MachineShape = {
  slots: 2,
  memoryMiB: 2048,
  overprovision: 2,
  allowSMT: false,
  archs: ["X86_64"],
  flags: ["sse2"],
  reqECC: false,
  minFrequencyMHz: 2500,
  os: { family: "linux", flavour: "ubuntu" },
  pciDevices: [{ vendor: "10de", model: "1bb1", quantity: 1 }],
};

export const vmRequest = (name: string, rest: Partial<VmRequest> = {}): VmRequest => ({
  ...MACHINE,
  name,
  place: PLACE,
  volumeIds: [],
  networkIds: [],
  labels: {},
  ...rest,
});

export const volumeRequest = (name: string) => ({
  name,
  place: PLACE,
  sizeGB: 64,
  bootable: false,
  readonly: false,
  shareable: false,
  private: true,
});

export const networkRequest = (name: string, cidr = "10.20.0.0/24") => ({
  name,
  place: PLACE,
  cidr,
  dhcp: "all" as const,
  routes: [],
  private: true,
});

export const clusterRequest = (name: string): ClusterRequest => ({
  name,
  place: PLACE,
  kubernetesVersion: "1.34",
  controlPlaneHA: false,
  updatePolicy: "MANUAL",
  billing: "month",
  nodePools: [
    {
      name: "workers",
      autoscale: false,
      minNodes: 3,
      maxNodes: 3,
      desiredNodes: 3,
      cpu: 2,
      memoryMiB: 4096,
      storageGB: 40,
      sharedStorageGB: 0,
      gpu: 0,
    },
  ],
  network: { cidr: "192.168.1.0/24", dhcp: true },
  labels: { owner: "landfall" },
});
