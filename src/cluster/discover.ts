import { type ApiPath, apiPath, below, versionPath } from "./api-path.ts";
import type { KubeClient } from "./client/create-client.ts";

export interface ApiResource {
  kind: string;
  /** Plural, as in the path. */
  name: string;
  namespaced: boolean;
}

export interface Discovery {
  /** Null if the API server does not serve the kind. */
  find(apiVersion: string, kind: string): Promise<ApiResource | null>;
  /** Every served version of a group with its resources that can be listed and watched, the newest first. */
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

/** The numbers of `composition.krateo.io/v0-10-0`, which is made of a chart's version. Null for Kubernetes' own, such as `v1beta1`. */
function numbersOf(groupVersion: string): number[] | null {
  const found = /\/v(\d{1,9})-(\d{1,9})-(\d{1,9})/.exec(groupVersion);
  return found && found.slice(1).map(Number);
}

/**
 * The newest first. The API server sorts Kubernetes' own versions so, but takes those of charts for words: v0-1-0 comes
 * before v0-2-0.
 */
function sortVersions(versions: readonly string[]): string[] {
  return [...versions].sort((a, b) => {
    const [left, right] = [numbersOf(a), numbersOf(b)];
    if (left === null || right === null) return 0;
    const at = left.findIndex((number, index) => number !== right[index]);
    return at === -1 ? 0 : (right[at] ?? 0) - (left[at] ?? 0);
  });
}

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
      const versions = sortVersions(answer?.versions.map(({ groupVersion }) => groupVersion) ?? []);
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
