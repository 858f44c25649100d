import { apiPath, below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";

interface ClusterRole extends KubernetesObject {
  aggregationRule?: { clusterRoleSelectors?: { matchLabels?: Record<string, string> }[] };
  rules?: unknown[] | null;
}

const PATH = apiPath`/apis/rbac.authorization.k8s.io/v1/clusterroles`;

const isSelected = ({ metadata }: ClusterRole, labels: Record<string, string>): boolean =>
  Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);

/** Fills the aggregated ClusterRoles of Landfall once, where no controller manager does it. */
export async function aggregateRoles(client: KubeClient): Promise<void> {
  const roles = (await client.get<{ items: ClusterRole[] }>(PATH))?.items ?? [];
  const ours = roles.filter(({ metadata }) => metadata.labels?.["app.kubernetes.io/part-of"] === "landfall");
  for (const { metadata, aggregationRule } of ours.filter((role) => role.aggregationRule !== undefined)) {
    const selectors = aggregationRule?.clusterRoleSelectors ?? [];
    const parts = roles.filter((role) => selectors.some(({ matchLabels = {} }) => isSelected(role, matchLabels)));
    const rules = parts.flatMap((role) => role.rules ?? []);
    await client.patch(below(PATH, metadata.name ?? ""), "merge", { rules });
  }
}
