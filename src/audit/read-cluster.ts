import type { WorkloadObject } from "../model/workload.ts";
import type { KubeClient } from "../cluster/create-client.ts";
import { discover, objectPath } from "../cluster/discover.ts";
import { listObjects } from "../cluster/list-objects.ts";
import { type ClusterData, createClusterData, workloadKey } from "../external-data/cluster-data.ts";
import { readWorkload } from "../external-data/read-workload.ts";
import { COMPOSITION_GROUP, KINDS } from "../model/names.ts";

/** The objects that Landfall decides, each once whatever versions are served. */
async function workloads(client: KubeClient): Promise<WorkloadObject[]> {
  const served = await discover(client).group(COMPOSITION_GROUP);
  const found: WorkloadObject[] = [];
  for (const kind of KINDS) {
    const version = served.find(({ resources }) => resources.some((resource) => resource.kind === kind));
    const resource = version?.resources.find((entry) => entry.kind === kind);
    if (version === undefined || resource === undefined) continue;
    const { items } = await listObjects(client, objectPath(version.apiVersion, resource, null, null));
    found.push(...items.map((object) => ({ ...object, kind })));
  }
  return found;
}

/** Everything that a scan needs, read once. `now` in seconds since 1970. Throws REL_API…. */
export async function readCluster(
  client: KubeClient,
  nowSeconds: number,
): Promise<{ objects: WorkloadObject[]; facts: ClusterData }> {
  const [namespaces, objects] = await Promise.all([listObjects(client, "/api/v1/namespaces"), workloads(client)]);
  const facts = createClusterData();
  for (const { metadata } of namespaces.items) {
    const { name = "", labels = {}, annotations = {} } = metadata;
    facts.apply({ type: "namespace", name, facts: { name, labels, annotations } });
  }
  for (const object of objects) {
    const { namespace = "default", name = "" } = object.metadata;
    const kind = object.kind === "KaasCluster" ? "KaasCluster" : "VmTemplate";
    facts.apply({ type: "workload", key: workloadKey(kind, namespace, name), workload: readWorkload(kind, object) });
  }
  facts.apply({ type: "seen", at: nowSeconds });
  return { objects, facts };
}
