import type { KubeClient } from "../cluster/client/create-client.ts";
import { discover, objectPath } from "../cluster/discover.ts";
import { listObjects } from "../cluster/list-objects.ts";
import type { Resource } from "../model/kubernetes.ts";
import { COMPOSITION_LABEL } from "../model/names.ts";
import { parseTime } from "../model/time.ts";
import { isObject, textOf } from "../model/json.ts";
import type { Workload } from "../model/workload.ts";

/** API groups of the kinds that the charts install and a provider's operator, or Landfall's for Elemento, acts on. */
export const PROVIDER_GROUPS = [
  "resources.azure.com",
  "network.azure.com",
  "compute.azure.com",
  "containerservice.azure.com",
  "managedidentity.azure.com",
  "ec2.services.k8s.aws",
  "eks.services.k8s.aws",
  "iam.services.k8s.aws",
  "compute.cnrm.cloud.google.com",
  "container.cnrm.cloud.google.com",
  "iam.cnrm.cloud.google.com",
  "elemento.landfall.dev",
] as const;

/** A provider's object that no VmTemplate or KaasCluster lists as its own: nothing decided where it runs. */
export interface UnmanagedObject {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

/** An installation lists its resources in the status of its object within this time, in seconds. */
const INSTALLING_SECONDS = 15 * 60;
const [HELM_RELEASE, HELM_NAMESPACE] = ["meta.helm.sh/release-name", "meta.helm.sh/release-namespace"] as const;

interface Found {
  /** As `keyOf` makes it. */
  key: string;
  metadata: Resource["metadata"];
  object: UnmanagedObject;
}

const keyOf = (group: string, plural: string, namespace: string, name: string): string =>
  [group, plural, namespace, name].join("/");

/** Group, plural, namespace and name of what the objects' status lists, whatever the version. */
function managedKeys(objects: readonly Workload[]): Set<string> {
  const keys = objects.flatMap(({ metadata, status }) => {
    const managed: unknown = isObject(status) ? status["managed"] : undefined;
    if (!Array.isArray(managed)) return [];
    return managed.filter(isObject).map(({ apiVersion, resource, name }) => {
      const [group = ""] = textOf(apiVersion).split("/");
      // A release lies in the namespace of its object: a status cannot speak for other namespaces.
      return keyOf(group, textOf(resource), metadata.namespace ?? "", textOf(name));
    });
  });
  return new Set(keys);
}

/** Namespace and name of the releases that the objects have, by their labels. */
const releasesOf = (objects: readonly Workload[]): Set<string> =>
  new Set(
    objects.flatMap(({ metadata: { namespace = "", labels } }) => {
      const release = labels?.[COMPOSITION_LABEL.releaseName];
      return release === undefined ? [] : [`${namespace}/${release}`];
    }),
  );

/**
 * Whether an object of a provider is so new that it may be part of an installation: created since the objects were read, or just before with
 * Helm's marks of a release that one of them has. Anyone can write these marks, so they count for a short time only.
 */
function mayBeInstalling(metadata: Resource["metadata"], releases: ReadonlySet<string>, readAt: number): boolean {
  const created = parseTime(metadata.creationTimestamp ?? "") ?? Number.NEGATIVE_INFINITY;
  if (created >= readAt) return true;
  const { namespace = "", annotations = {} } = metadata;
  const isMarked =
    annotations[HELM_NAMESPACE] === namespace && releases.has(`${namespace}/${annotations[HELM_RELEASE] ?? ""}`);
  return isMarked && created > readAt - INSTALLING_SECONDS;
}

/** Every object of a group. Every version shows every object, so the first one is enough. */
async function objectsOf(client: KubeClient, group: string): Promise<Found[]> {
  const [served] = await discover(client).group(group);
  if (served === undefined) return [];
  const { apiVersion, resources } = served;
  const lists = resources
    .filter(({ namespaced }) => namespaced)
    .map(async (resource) => {
      const { items } = await listObjects(client, objectPath(apiVersion, resource, null, null), { metadataOnly: true });
      return items.map(({ metadata }): Found => {
        const { namespace = "", name = "" } = metadata;
        const key = keyOf(group, resource.name, namespace, name);
        return { key, metadata, object: { apiVersion, kind: resource.kind, namespace, name } };
      });
    });
  return (await Promise.all(lists)).flat();
}

/** The provider objects of a cluster that none of `objects`, read at `readAt` (seconds since 1970), installed or installs. Throws REL_API…. */
export async function listUnmanaged(
  client: KubeClient,
  objects: readonly Workload[],
  readAt: number,
): Promise<UnmanagedObject[]> {
  const [managed, releases] = [managedKeys(objects), releasesOf(objects)];
  const found: UnmanagedObject[] = [];
  for (const group of PROVIDER_GROUPS)
    for (const { key, metadata, object } of await objectsOf(client, group))
      if (!managed.has(key) && !mayBeInstalling(metadata, releases, readAt)) found.push(object);
  return found;
}
