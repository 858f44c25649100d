import { type ApiPath, apiPath, below, versionPath } from "./api-path.ts";
import type { KubeClient } from "./create-client.ts";

export interface ApiResource {
  kind: string;
  /** Plural, as in the path. */
  name: string;
  namespaced: boolean;
}

export interface Discovery {
  /** Null if the API server does not serve the kind. */
  find(apiVersion: string, kind: string): Promise<ApiResource | null>;
  /** Every served version of a group with its resources that can be listed and watched, in the order of the API server (newest first). */
  group(group: string): Promise<{ apiVersion: string; resources: ApiResource[] }[]>;
}

type ServedResource = ApiResource & { verbs?: string[] };

interface ResourceList {
  resources: ServedResource[];
}

interface GroupAnswer {
  versions: { groupVersion: string }[];
}

const isWatchable = ({ verbs = ["list", "watch"] }: ServedResource): boolean =>
  verbs.includes("list") && verbs.includes("watch");

/** Discovers the kinds that the API server serves. Found kinds are cached; others are looked up again each time. */
export function discover(client: KubeClient): Discovery {
  const known = new Map<string, ServedResource[]>();

  async function load(apiVersion: string): Promise<ServedResource[]> {
    const answer = await client.get<ResourceList>(versionPath(apiVersion));
    const resources = (answer?.resources ?? []).filter(({ name }) => !name.includes("/"));
    known.set(apiVersion, resources);
    return resources;
  }

  return {
    async find(apiVersion, kind) {
      const hit = known.get(apiVersion)?.find((resource) => resource.kind === kind);
      return hit ?? (await load(apiVersion)).find((resource) => resource.kind === kind) ?? null;
    },
    async group(group) {
      const answer = await client.get<GroupAnswer>(apiPath`/apis/${group}`);
      const versions = answer?.versions.map(({ groupVersion }) => groupVersion) ?? [];
      const watchable = async (apiVersion: string) => (await load(apiVersion)).filter(isWatchable);
      return Promise.all(versions.map(async (apiVersion) => ({ apiVersion, resources: await watchable(apiVersion) })));
    },
  };
}

/** The path of one object, or of the collection if `name` is null. */
export function objectPath(
  apiVersion: string,
  resource: ApiResource,
  namespace: string | null,
  name: string | null,
): ApiPath {
  const scope = resource.namespaced && namespace !== null ? ["namespaces", namespace] : [];
  return below(versionPath(apiVersion), ...scope, resource.name, ...(name === null ? [] : [name]));
}
