import { type ApiPath } from "../cluster/api-path.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { discover, objectPath } from "../cluster/discover.ts";
import type { Resource } from "../model/kubernetes.ts";
import { COMPOSITION_GROUP, isKind } from "../model/names.ts";
import { type OwnerOf, sampleFairly } from "./sample-fairly.ts";

interface List {
  metadata?: { continue?: string };
  items?: Resource[];
}

/** Objects of one request: they have some kilobytes each, and only the sample is kept. */
const PAGE = 500;

async function* listPages(client: KubeClient, path: ApiPath): AsyncGenerator<Resource[]> {
  let next = "";
  do {
    const list = await client.get<List>(path, { query: { limit: PAGE, ...(next === "" ? {} : { continue: next }) } });
    yield list?.items ?? [];
    next = list?.metadata?.continue ?? "";
  } while (next !== "");
}

/**
 * A sample of at most `most` (> 0) live objects of the kinds that Landfall decides, fair to all owners of namespaces: `sampleFairly`. None
 * if the group is not installed. Throws REL_API….
 */
export async function listLive(client: KubeClient, most: number, seed: string, ownerOf: OwnerOf): Promise<Resource[]> {
  // Every version shows every object: the first one, which the API server prefers, is enough.
  const [served] = await discover(client).group(COMPOSITION_GROUP);
  if (served === undefined) return [];
  const { apiVersion } = served;
  const sample = sampleFairly<Resource>(most, seed, ownerOf);
  for (const resource of served.resources.filter(({ kind }) => isKind(kind)))
    for await (const items of listPages(client, objectPath(apiVersion, resource, null, null)))
      // Items of a list come without apiVersion and kind.
      for (const item of items) sample.add({ ...item, apiVersion, kind: resource.kind });
  return sample.take();
}
