import type { KubeClient } from "../cluster/create-client.ts";
import type { Resource } from "../model/kubernetes.ts";
import { COMPOSITION_GROUP, KINDS } from "../model/names.ts";

interface Group {
  preferredVersion?: { version?: string };
}

interface Resources {
  resources?: { name: string; kind: string }[];
}

interface List {
  items?: Resource[];
}

/** Names of the resources of our kinds that this version serves. */
async function servedKinds(client: KubeClient, apiVersion: string): Promise<{ name: string; kind: string }[]> {
  const served = await client.get<Resources>(`/apis/${apiVersion}`);
  return (served?.resources ?? []).filter(
    ({ name, kind }) => (KINDS as readonly string[]).includes(kind) && !name.includes("/"),
  );
}

/** Up to `most` live objects of each kind that Landfall decides (0: all of them); none where the group is not installed. Throws REL_API…. */
export async function listLive(client: KubeClient, most: number): Promise<Resource[]> {
  const group = await client.get<Group>(`/apis/${COMPOSITION_GROUP}`);
  const version = group?.preferredVersion?.version;
  if (version === undefined) return [];
  const apiVersion = `${COMPOSITION_GROUP}/${version}`;
  const found: Resource[] = [];
  for (const { name, kind } of await servedKinds(client, apiVersion)) {
    const list = await client.get<List>(`/apis/${apiVersion}/${name}${most === 0 ? "" : `?limit=${String(most)}`}`);
    // Items of a list come without apiVersion and kind.
    for (const item of list?.items ?? []) found.push({ ...item, apiVersion, kind });
  }
  return found;
}
