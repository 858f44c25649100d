import type { Workload } from "../model/workload.ts";
import { apiPath } from "../cluster/api-path.ts";
import type { KubeClient } from "../cluster/create-client.ts";
import { discover, objectPath } from "../cluster/discover.ts";
import { listObjects } from "../cluster/list-objects.ts";
import { type ClusterData, clusterDataOf } from "../external-data/cluster-data.ts";
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

/** Everything that a scan needs, read once. `nowSeconds` since 1970. Throws REL_API…. */
export async function readCluster(
  client: KubeClient,
  nowSeconds: number,
): Promise<{ objects: Workload[]; clusterData: ClusterData }> {
  const [namespaces, objects] = await Promise.all([
    listObjects(client, apiPath`/api/v1/namespaces`),
    workloads(client),
  ]);
  return { objects, clusterData: clusterDataOf(namespaces.items, objects, nowSeconds) };
}
