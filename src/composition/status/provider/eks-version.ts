import { isObject, stringOf } from "../../../model/json.ts";
import type { Resource } from "../../types.ts";
import { isOverruled } from "./ack-synced.ts";
import { conditionsOf, find, isTrue, type ProviderCondition } from "./state.ts";

/** ACK's own comparison with what EKS runs (`updateVersion`, pkg/resource/cluster/hook.go of its eks-controller). */
const BEHIND = /\bdesired cluster version is less than the observed version: ([\d.]{1,16}) < ([\d.]{1,16})/;

/** The versions that the spec has and that EKS runs, where EKS has upgraded a cluster itself; null for another message. */
export function behindOf(message: string): { wanted: string; running: string } | null {
  const [, wanted, running] = BEHIND.exec(message) ?? [];
  return wanted === undefined || running === undefined ? null : { wanted, running };
}

interface Upgrade {
  /** The version before. */
  from?: unknown;
  /** Since when ACK had said before the change that the cluster is synced. */
  synced?: unknown;
}

/** The upgrade that the chart has begun, from its annotation `landfall.dev/upgrades`; null for none. */
function begunUpgrade({ metadata }: Resource): Upgrade | null {
  const text = metadata.annotations?.["landfall.dev/upgrades"];
  if (text === undefined) return null;
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

/** Whether an upgrade that the chart has begun is not over. */
export const isUpgraded = (cluster: Resource): boolean => begunUpgrade(cluster) !== null;

/** Whether ACK continues with the node groups of a cluster: it looks at these two conditions of a resource that others refer to. */
export function isSyncedForPools(cluster: Resource): boolean {
  const conditions = conditionsOf(cluster);
  return isTrue(find(conditions, "ACK.ResourceSynced")) && !isTrue(find(conditions, "ACK.Terminal"));
}

/** Whether ACK says that the cluster is as its spec says, and says it since the upgrade has begun. */
function isSynced(conditions: readonly ProviderCondition[], upgrade: Upgrade | null): boolean {
  const synced = conditions.find(({ type }) => type === "ACK.ResourceSynced");
  const isNew = upgrade === null || synced?.lastTransitionTime !== upgrade.synced;
  return isTrue(synced) && isNew && !isOverruled(conditions);
}

/**
 * The version that an EKS cluster runs. ACK's Cluster has none in its status, and its spec has the wanted one as soon as it is written. So
 * it is the spec's once ACK says that the cluster is synced, and before that the one that the upgrade began with. Empty if both are
 * unknown.
 */
export function eksVersion(cluster: Resource): string {
  const conditions = conditionsOf(cluster);
  const terminal = find(conditions, "ACK.Terminal");
  const behind = isTrue(terminal) ? behindOf(terminal?.message ?? "") : null;
  if (behind !== null) return behind.running;
  const upgrade = begunUpgrade(cluster);
  return stringOf(isSynced(conditions, upgrade) ? cluster.spec?.["version"] : upgrade?.from);
}
