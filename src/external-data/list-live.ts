import type { KubeClient } from "../cluster/client/create-client.ts";
import { discover, objectPath } from "../cluster/discover.ts";
import { pagesOf } from "../cluster/list-objects.ts";
import type { Resource } from "../model/kubernetes.ts";
import { COMPOSITION_GROUP, isKind } from "../model/names.ts";
import { lengthOf } from "../cluster/short-object.ts";
import { type OwnerOf, sampleFairly } from "./sample-fairly.ts";

/**
 * Most characters of a sampled object's JSON. Some hundred objects are in memory at a time. Those of the two schemas that are of use have at
 * most about 150,000 characters.
 */
const OBJECT_CHARACTERS = 256 * 1024;

/** The parts that its user wrote. Status, managed fields and `global` can be as large as the API server stores them. */
function asCreated({ apiVersion, kind, metadata, spec }: Resource): Resource {
  const { name, namespace, uid, labels, annotations, creationTimestamp } = metadata;
  const told = { name, namespace, uid, labels, annotations, creationTimestamp };
  const known = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
  const { global: _, ...written } = spec ?? {};
  return { apiVersion, kind, metadata: known, spec: written };
}

/**
 * A sample of at most `most` (> 0) live objects of the kinds that Landfall decides, without status, fair to all owners of namespaces:
 * `sampleFairly`. None if the group is not installed. Objects of more than 262,144 characters are not in it. Throws REL_API….
 */
export async function listLive(client: KubeClient, most: number, seed: string, ownerOf: OwnerOf): Promise<Resource[]> {
  // Every version shows every object: the first one, which the API server prefers, is enough.
  const [served] = await discover(client).group(COMPOSITION_GROUP);
  if (served === undefined) return [];
  const { apiVersion } = served;
  const sample = sampleFairly<Resource>(most, seed, ownerOf);
  for (const resource of served.resources.filter(({ kind }) => isKind(kind)))
    for await (const { items } of pagesOf(client, objectPath(apiVersion, resource, null, null)))
      for (const item of items.map(asCreated).filter((object) => lengthOf(object) <= OBJECT_CHARACTERS))
        sample.add(item);
  return sample.take();
}
