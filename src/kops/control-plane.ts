import type { KaasSpec } from "./types.ts";

/** Etcd needs an odd number of members. */
const HIGHLY_AVAILABLE = 3;

/** Whether only the nodes' network reaches the API server; as in the chart if the specification does not say. */
export const isPrivate = ({ endpoint, provider }: KaasSpec): boolean =>
  endpoint === undefined ? provider === "aws" : endpoint === "private";

export interface Member {
  group: string;
  zone: string;
  /** The member's name in etcd. */
  etcd: string;
}

/** The control plane's members, one InstanceGroup each, assigned to the zones in turn. */
export function controlPlaneMembers({ highAvailability, provider }: KaasSpec, zones: readonly string[]): Member[] {
  const count = highAvailability === true ? HIGHLY_AVAILABLE : 1;
  const shared = count > zones.length;
  return Array.from({ length: count }, (_, index) => {
    const zone = zones[index % zones.length] ?? "";
    const turn = `-${String(Math.floor(index / zones.length) + 1)}`;
    const etcd = provider === "aws" ? `${zone.slice(-1)}${shared ? turn : ""}` : `etcd-${String(index + 1)}`;
    return { group: `control-plane-${zone}${shared ? turn : ""}`, zone, etcd };
  });
}

/** etcdClusters in the form that kOps writes. */
export function etcdClusters({ provider }: KaasSpec, members: readonly Member[]): Record<string, unknown>[] {
  const etcdMembers = members.map(({ group, etcd }) => ({
    ...(provider === "aws" ? { encryptedVolume: true } : {}),
    instanceGroup: group,
    name: etcd,
  }));
  const cluster = { etcdMembers, manager: { backupRetentionDays: 90 }, memoryRequest: "100Mi" };
  return [
    { cpuRequest: "200m", ...cluster, name: "main" },
    { cpuRequest: "100m", ...cluster, name: "events" },
  ];
}

/** Whether an etcd with this many members survives the loss of one. */
export const isHighlyAvailable = (members: number): boolean => members >= HIGHLY_AVAILABLE;
