import type { KubeClient } from "../cluster/client/create-client.ts";
import { discover, objectPath } from "../cluster/discover.ts";
import { listObjects } from "../cluster/list-objects.ts";
import { isObject } from "../model/json.ts";
import { PROVIDER_GROUPS } from "../model/places/provider-groups.ts";
import type { Workload } from "../model/workload.ts";

/** A provider's object that no VmTemplate or KaasCluster lists as its own: nothing decided where it runs. */
export interface UnmanagedObject {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

const keyOf = (group: string, plural: string, namespace: string, name: string): string =>
  [group, plural, namespace, name].join("/");

/** Group, plural, namespace and name of what the objects' status lists, whatever the version. */
function managedKeys(objects: readonly Workload[]): Set<string> {
  const keys = objects.flatMap(({ metadata, status }) => {
    const managed: unknown = isObject(status) ? status["managed"] : undefined;
    if (!Array.isArray(managed)) return [];
    return managed.filter(isObject).map(({ apiVersion, resource, name }) => {
      const [group = ""] = String(apiVersion).split("/");
      // A release lies in the namespace of its object: a status cannot speak for other namespaces.
      return keyOf(group, String(resource), metadata.namespace ?? "", String(name));
    });
  });
  return new Set(keys);
}

/** Every object of a group. Every version shows every object, so the first one is enough. */
async function objectsOf(client: KubeClient, group: string): Promise<(UnmanagedObject & { key: string })[]> {
  const [served] = await discover(client).group(group);
  if (served === undefined) return [];
  const { apiVersion, resources } = served;
  const lists = resources
    .filter(({ namespaced }) => namespaced)
    .map(async (resource) => {
      const { items } = await listObjects(client, objectPath(apiVersion, resource, null, null));
      return items.map(({ metadata: { namespace = "", name = "" } }) => ({
        ...{ apiVersion, kind: resource.kind, namespace, name, key: keyOf(group, resource.name, namespace, name) },
      }));
    });
  return (await Promise.all(lists)).flat();
}

/** The provider objects of a cluster that none of `objects` installed. Throws REL_API…. */
export async function listUnmanaged(client: KubeClient, objects: readonly Workload[]): Promise<UnmanagedObject[]> {
  const managed = managedKeys(objects);
  const found: UnmanagedObject[] = [];
  for (const group of PROVIDER_GROUPS) {
    for (const { key, ...object } of await objectsOf(client, group)) if (!managed.has(key)) found.push(object);
  }
  return found;
}
