import { apiPath } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";

/** An annotation of Landfall's namespace with the reason why the configurations stay as they are: an emergency, or an uninstallation. */
export const SUSPENDED = "landfall.dev/webhooks-suspended";

export interface Where {
  client: KubeClient;
  /** ConfigMap of the chart's release in the system namespace: without it, the release is being removed. Null for none. */
  releaseConfigMap?: string | null;
  /** Landfall's own: tenants cannot change it. */
  systemNamespace: string;
}

/** Whether the release that this process belongs to is still there. */
async function isReleased({ client, systemNamespace, releaseConfigMap = null }: Where): Promise<boolean> {
  if (releaseConfigMap === null) return true;
  const path = apiPath`/api/v1/namespaces/${systemNamespace}/configmaps/${releaseConfigMap}`;
  const release = await client.get<KubernetesObject>(path);
  return release !== null && release.metadata.deletionTimestamp === undefined;
}

/** Why the configurations stay as they are; null if they do not have to. */
export async function suspendedBy(options: Where): Promise<string | null> {
  const { client, systemNamespace } = options;
  if (!(await isReleased(options))) return "the chart's release is being removed";
  const namespace = await client.get<KubernetesObject>(apiPath`/api/v1/namespaces/${systemNamespace}`);
  const reason = namespace?.metadata.annotations?.[SUSPENDED] ?? "";
  return reason === "" ? null : `${SUSPENDED} is set: ${reason}`;
}
