import type { Resource } from "../model/kubernetes.ts";
import type { Workload } from "../model/workload.ts";
import { apiPath } from "../cluster/api-path.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { discover, objectPath } from "../cluster/discover.ts";
import { listObjects } from "../cluster/list-objects.ts";
import { clusterDataOf } from "../external-data/cluster-data-of.ts";
import type { ClusterData } from "../external-data/cluster-data.ts";
import { secretEvent } from "../external-data/secret-event.ts";
import { hasStatus } from "../cluster/client/api-error.ts";
import { secretsPath } from "../cluster/secrets-path.ts";
import { LANDFALL_SECRETS, COMPOSITION_GROUP, KINDS } from "../model/names.ts";
import { type Emergency, EMERGENCY_SECRET, readEmergencies } from "../model/emergency.ts";
import { lengthOf, shortFields, shortSpec, withoutManagers } from "../cluster/short-object.ts";
import { readRetained, type Retained } from "../model/runs/retained.ts";

/** Most characters of JSON of the resources that a status lists. */
const LISTED = 65_536;

/** The object without what no decision reads, and with short labels and annotations: all objects of the cluster are held at a time. */
function readParts(object: Resource): Resource {
  const metadata = withoutManagers(object.metadata);
  const { labels, annotations } = metadata;
  const managed = object.status?.["managed"];
  const isListed = managed !== undefined && lengthOf(managed) <= LISTED;
  return {
    ...{ apiVersion: object.apiVersion, kind: object.kind, spec: shortSpec(object) },
    metadata: { ...metadata, labels: shortFields(labels), annotations: shortFields(annotations) },
    ...(isListed ? { status: { managed } } : {}),
  };
}

/** The objects that Landfall decides, each once whatever versions are served. */
async function workloads(client: KubeClient): Promise<Workload[]> {
  const served = await discover(client).group(COMPOSITION_GROUP);
  const found: Workload[] = [];
  for (const kind of KINDS) {
    const version = served.find(({ resources }) => resources.some((resource) => resource.kind === kind));
    const resource = version?.resources.find((entry) => entry.kind === kind);
    if (version === undefined || resource === undefined) continue;
    const path = objectPath(version.apiVersion, resource, null, null);
    const { items } = await listObjects(client, path, { keep: readParts });
    found.push(...items.map((object) => ({ ...object, kind })));
  }
  return found;
}

/** Landfall's own Secrets; null without the right to read them. Throws REL_API…. */
async function listSecrets(client: KubeClient, systemNamespace: string): Promise<Resource[] | null> {
  const found = await listObjects(client, secretsPath(systemNamespace), {
    labels: LANDFALL_SECRETS,
    metadataOnly: true,
  }).catch((thrown: unknown) => {
    if (hasStatus(thrown, 403)) return null;
    throw thrown;
  });
  return found?.items ?? null;
}

/** Everything that a scan needs, read once. `nowSeconds` since 1970. Throws REL_API…. */
export async function readCluster(
  client: KubeClient,
  nowSeconds: number,
  systemNamespace = "landfall-system",
): Promise<{
  namespaces: Resource[];
  objects: Workload[];
  /** The records of what deleted objects left running; null without the right to read Landfall's Secrets. */
  retained: Retained[] | null;
  /** When admission was switched off, as far as Landfall's Secrets can be read. */
  emergencies: Emergency[];
  clusterData: ClusterData;
}> {
  const [namespaces, objects, secrets] = await Promise.all([
    listObjects(client, apiPath`/api/v1/namespaces`),
    workloads(client),
    listSecrets(client, systemNamespace),
  ]);
  const { items } = namespaces;
  const events = (secrets ?? []).map((secret) => secretEvent(secret, false)).filter((event) => event !== null);
  return {
    namespaces: items,
    objects,
    retained: secrets && secrets.map(readRetained).filter((one) => one !== null),
    emergencies: readEmergencies((secrets ?? []).find(({ metadata }) => metadata.name === EMERGENCY_SECRET) ?? null),
    clusterData: clusterDataOf(items, objects, nowSeconds, events),
  };
}
