import type { Resource } from "../model/kubernetes.ts";
import type { Workload } from "../model/workload.ts";
import { apiPath } from "../cluster/api-path.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { discover, objectPath } from "../cluster/discover.ts";
import { listObjects, pagesOf } from "../cluster/list-objects.ts";
import { boundEvent } from "../external-data/bound-event.ts";
import { clusterDataOf } from "../external-data/cluster-data-of.ts";
import { type ClusterData, type ClusterEvent, keyOfWorkload } from "../external-data/cluster-data.ts";
import { secretEvent } from "../external-data/secret-event.ts";
import { hasStatus } from "../cluster/client/api-error.ts";
import { secretsPath } from "../cluster/secrets-path.ts";
import { LANDFALL_SECRETS, COMPOSITION_GROUP, type Kind, KINDS } from "../model/names.ts";
import { type Emergency, EMERGENCY_SECRET, readEmergencies } from "../model/emergency.ts";
import { lengthOf, shortFields, shortSpec, withoutManagers } from "../cluster/short-object.ts";
import { readWorkload } from "../model/read-workload.ts";
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

/** Most characters of the annotations of an object that is not read. A decision has 4,600 with its signature. */
const ANNOTATIONS = 8192;

interface ReadWorkloads {
  objects: Workload[];
  /** Objects beyond the share of their namespace: only names and decisions. */
  unread: Workload[];
  /** The events of these for the data of the cluster. */
  counted: ClusterEvent[];
}

type Fits = (object: Resource) => boolean;

/** Whether the objects of a namespace take at most so many characters together with the next one. */
function shareOf(most: number): Fits {
  const taken = new Map<string, number>();
  return (object) => {
    const { namespace = "" } = object.metadata;
    const total = (taken.get(namespace) ?? 0) + (most === Infinity ? 0 : lengthOf(object));
    if (total > most) return false;
    taken.set(namespace, total);
    return true;
  };
}

const namesOf = ({ apiVersion, kind, metadata: { name, namespace, annotations } }: Resource): Resource => ({
  ...{ apiVersion, kind },
  metadata: {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    annotations: shortFields(annotations, ANNOTATIONS),
  },
});

function add({ objects, unread, counted }: ReadWorkloads, kind: Kind, object: Resource, fits: Fits): void {
  const parts = readParts(object);
  if (fits(parts)) {
    objects.push({ ...parts, kind });
    return;
  }
  unread.push({ ...namesOf(object), kind });
  const whole = { ...object, kind };
  counted.push(boundEvent({ type: "workload", key: keyOfWorkload(whole), workload: readWorkload(kind, whole) }));
}

/** The objects that Landfall decides, each once whatever versions are served. */
async function workloads(client: KubeClient, most: number): Promise<ReadWorkloads> {
  const served = await discover(client).group(COMPOSITION_GROUP);
  const fits = shareOf(most);
  const read: ReadWorkloads = { objects: [], unread: [], counted: [] };
  for (const kind of KINDS) {
    const version = served.find(({ resources }) => resources.some((resource) => resource.kind === kind));
    const resource = version?.resources.find((entry) => entry.kind === kind);
    if (version === undefined || resource === undefined) continue;
    const path = objectPath(version.apiVersion, resource, null, null);
    for await (const { items } of pagesOf(client, path)) for (const object of items) add(read, kind, object, fits);
  }
  return read;
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

interface ReadClusterOptions {
  systemNamespace?: string;
  /** Characters that the objects of one namespace may take. All are read if it is omitted. */
  mostOfNamespace?: number;
}

/** Everything that a scan needs, read once. `nowSeconds` since 1970. Throws REL_API…. */
export async function readCluster(
  client: KubeClient,
  nowSeconds: number,
  { systemNamespace = "landfall-system", mostOfNamespace = Infinity }: ReadClusterOptions = {},
): Promise<{
  namespaces: Resource[];
  objects: Workload[];
  /** Those that do not fit into what the objects of their namespace may take: names and decisions. They count. */
  unread: Workload[];
  /** The records of what deleted objects left running; null without the right to read Landfall's Secrets. */
  retained: Retained[] | null;
  /** When admission was switched off, as far as Landfall's Secrets can be read. */
  emergencies: Emergency[];
  clusterData: ClusterData;
}> {
  const [namespaces, { objects, unread, counted }, secrets] = await Promise.all([
    listObjects(client, apiPath`/api/v1/namespaces`),
    workloads(client, mostOfNamespace),
    listSecrets(client, systemNamespace),
  ]);
  const { items } = namespaces;
  const events = (secrets ?? []).map((secret) => secretEvent(secret, false)).filter((event) => event !== null);
  return {
    namespaces: items,
    ...{ objects, unread },
    retained: secrets && secrets.map(readRetained).filter((one) => one !== null),
    emergencies: readEmergencies((secrets ?? []).find(({ metadata }) => metadata.name === EMERGENCY_SECRET) ?? null),
    clusterData: clusterDataOf(items, objects, nowSeconds, [...events, ...counted]),
  };
}
