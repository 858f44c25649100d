import { isObject } from "../../model/json.ts";
import type { KubeApi } from "./kube-api.ts";
import type { Family } from "./types.ts";
import type { Collection } from "./watch-kind.ts";

const listAt = (answer: unknown, field: string): Record<string, unknown>[] => {
  const list: unknown = isObject(answer) ? answer[field] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
};

async function collectionsOf(api: KubeApi, apiVersion: string): Promise<Collection[]> {
  return listAt(await api.get(`/apis/${apiVersion}`), "resources")
    .map(({ name, kind }) => ({ name: String(name), kind: String(kind) }))
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, kind }) => ({ path: `/apis/${apiVersion}/${name}`, apiVersion, kind }));
}

/** The collections of a group; a kind is taken in the first version, of the server's order of preference, that has it. */
async function collectionsOfGroup(api: KubeApi, group: string): Promise<Map<string, Collection>> {
  const found = new Map<string, Collection>();
  for (const { groupVersion } of listAt(await api.get(`/apis/${group}`), "versions")) {
    for (const collection of await collectionsOf(api, String(groupVersion))) {
      const key = `${group}/${collection.kind}`;
      found.set(key, found.get(key) ?? collection);
    }
  }
  return found;
}

/** `group/Kind` -> collection of what the API server serves now of the families' groups. */
export async function findCollections(api: KubeApi, families: readonly Family[]): Promise<Map<string, Collection>> {
  const found = new Map<string, Collection>();
  for (const group of families.flatMap((family) => family.groups)) {
    for (const [key, collection] of await collectionsOfGroup(api, group)) found.set(key, collection);
  }
  return found;
}
