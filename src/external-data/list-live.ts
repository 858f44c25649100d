import type { KubeClient } from "../cluster/create-client.ts";
import { discover, objectPath } from "../cluster/discover.ts";
import type { Resource } from "../model/kubernetes.ts";
import { COMPOSITION_GROUP, isKind } from "../model/names.ts";

interface List {
  items?: Resource[];
}

/** Up to `most` (> 0) live objects of each kind that Landfall decides; none if the group is not installed. Throws REL_API…. */
export async function listLive(client: KubeClient, most: number): Promise<Resource[]> {
  // Every version shows every object: the first one, which the API server prefers, is enough.
  const [served] = await discover(client).group(COMPOSITION_GROUP);
  if (served === undefined) return [];
  const { apiVersion } = served;
  const found: Resource[] = [];
  for (const resource of served.resources.filter(({ kind }) => isKind(kind))) {
    const path = objectPath(apiVersion, resource, null, null);
    const list = await client.get<List>(path, { query: { limit: most } });
    // Items of a list come without apiVersion and kind.
    for (const item of list?.items ?? []) found.push({ ...item, apiVersion, kind: resource.kind });
  }
  return found;
}
