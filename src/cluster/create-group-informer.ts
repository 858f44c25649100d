import type { ApiPath } from "./api-path.ts";
import type { KubeClient } from "./client/create-client.ts";
import type { Informer, InformerOptions } from "./create-informer.ts";
import { createInformer } from "./create-informer.ts";
import type { ApiResource, Discovery } from "./discover.ts";
import { objectPath } from "./discover.ts";

/** A kind of the group in the version in which it is watched. */
export interface WatchedKind {
  apiVersion: string;
  resource: ApiResource;
  /** Path of the collection of all namespaces. */
  path: ApiPath;
}

export interface GroupInformerOptions extends Pick<InformerOptions, "keep" | "onRecovered" | "relistSeconds"> {
  client: KubeClient;
  discovery: Discovery;
  group: string;
  /** Which kinds are watched. All kinds of the group if it is omitted. */
  selects?: (resource: ApiResource) => boolean;
  /** As the handler of an informer. */
  onChange: (watched: WatchedKind, ...change: Parameters<InformerOptions["onChange"]>) => void;
  onFailure: (path: string, thrown: unknown, failures: number) => void;
  /** Keeps the informer, and with it the objects, of a kind that is no longer served. */
  keepUnserved?: boolean;
}

export interface KindInformer extends WatchedKind {
  informer: Informer;
}

export interface GroupInformer {
  /** Discovers the kinds that the API server serves now and starts an informer for each new one. */
  refresh(): Promise<void>;
  /** The kind with this plural name. */
  kind(plural: string): KindInformer | undefined;
  kinds(): KindInformer[];
  stop(): void;
}

/**
 * Watches every kind of an API group, each in the newest of its served versions: every version shows every object, but an
 * older one may lack fields. The kind is watched in another version when a newer one is served, or its own no longer.
 */
export function createGroupInformer(options: GroupInformerOptions): GroupInformer {
  const { client, discovery, group, selects = () => true, onChange, onFailure } = options;
  const { keep, onRecovered, relistSeconds } = options;
  const common = {
    client,
    ...(keep && { keep }),
    ...(onRecovered && { onRecovered }),
    ...(relistSeconds !== undefined && { relistSeconds }),
  };
  const kinds = new Map<string, KindInformer>();
  let stopped = false;

  function start(watched: WatchedKind, before: KindInformer | undefined): KindInformer {
    before?.informer.stop();
    const { path } = watched;
    const informer = createInformer({
      ...common,
      ...{ path, known: before?.informer.lister.list() ?? [] },
      onChange: (...change) => {
        onChange(watched, ...change);
      },
      onFailure: (thrown, failures) => {
        onFailure(path, thrown, failures);
      },
    });
    return { ...watched, informer };
  }

  /** The kinds that are served, each in its newest version. */
  async function served(): Promise<Map<string, WatchedKind>> {
    const found = new Map<string, WatchedKind>();
    for (const { apiVersion, resources } of await discovery.group(group)) {
      for (const resource of resources.filter(selects)) {
        const path = objectPath(apiVersion, resource, null, null);
        if (!found.has(resource.name)) found.set(resource.name, { apiVersion, resource, path });
      }
    }
    return found;
  }

  return {
    async refresh() {
      const found = await served();
      if (stopped) return;
      for (const [plural, newest] of found) {
        const known = kinds.get(plural);
        if (newest.path !== known?.path) kinds.set(plural, start(newest, known));
      }
      for (const [plural, { informer }] of kinds) {
        if (found.has(plural) || options.keepUnserved === true) continue;
        informer.stop();
        kinds.delete(plural);
      }
    },
    kind: (plural) => kinds.get(plural),
    kinds: () => [...kinds.values()],
    stop() {
      stopped = true;
      for (const { informer } of kinds.values()) informer.stop();
    },
  };
}
