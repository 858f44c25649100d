import type { Workload } from "../model/workload.ts";
import { apiPath } from "../cluster/api-path.ts";
import type { KubeClient } from "../cluster/create-client.ts";
import { discover, objectPath } from "../cluster/discover.ts";
import { listObjects } from "../cluster/list-objects.ts";
import { type ClusterData, clusterDataOf } from "../external-data/cluster-data.ts";
import { hasStatus } from "../cluster/api-error.ts";
import { secretsPath } from "../cluster/secrets-path.ts";
import { LANDFALL_SECRETS } from "../model/decision-annotation/system-secrets.ts";
import { readRetained, type Retained } from "../model/retained.ts";
import { COMPOSITION_GROUP, KINDS } from "../model/names.ts";

/** The objects that Landfall decides, each once whatever versions are served. */
async function workloads(client: KubeClient): Promise<Workload[]> {
  const served = await discover(client).group(COMPOSITION_GROUP);
  const found: Workload[] = [];
  for (const kind of KINDS) {
    const version = served.find(({ resources }) => resources.some((resource) => resource.kind === kind));
    const resource = version?.resources.find((entry) => entry.kind === kind);
    if (version === undefined || resource === undefined) continue;
    const { items } = await listObjects(client, objectPath(version.apiVersion, resource, null, null));
    found.push(...items.map((object) => ({ ...object, kind })));
  }
  return found;
}

/** What deleted objects left running; null without the right to read Landfall's Secrets. Throws REL_API…. */
async function listRetained(client: KubeClient, systemNamespace: string): Promise<Retained[] | null> {
  const found = await listObjects(client, secretsPath(systemNamespace), {
    labels: LANDFALL_SECRETS,
    metadataOnly: true,
  }).catch((thrown: unknown) => {
    if (hasStatus(thrown, 403)) return null;
    throw thrown;
  });
  return found === null ? null : found.items.map((item) => readRetained(item)).filter((one) => one !== null);
}

/** Everything that a scan needs, read once. `nowSeconds` since 1970. Throws REL_API…. */
export async function readCluster(
  client: KubeClient,
  nowSeconds: number,
  systemNamespace = "landfall-system",
): Promise<{ objects: Workload[]; retained: Retained[] | null; clusterData: ClusterData }> {
  const [namespaces, objects, retained] = await Promise.all([
    listObjects(client, apiPath`/api/v1/namespaces`),
    workloads(client),
    listRetained(client, systemNamespace),
  ]);
  return { objects, retained, clusterData: clusterDataOf(namespaces.items, objects, nowSeconds, retained ?? []) };
}
