import { canonicalJson } from "../model/json.ts";
import { COMPOSITION_GROUP } from "../model/names.ts";
import type { KubeClient } from "../cluster/create-client.ts";
import type { ApiResource, Discovery } from "../cluster/discover.ts";
import { objectPath } from "../cluster/discover.ts";
import type { Informer } from "../cluster/create-informer.ts";
import { createInformer } from "../cluster/create-informer.ts";
import type { Resource } from "./types.ts";
import type { Composition } from "./context.ts";

export interface CompositionWatches {
  /** Looks which kinds composition.krateo.io has now, and watches the new ones. */
  refresh(): Promise<void>;
  get(key: string): Composition | null;
  list(): Composition[];
  stop(): void;
}

export interface CompositionOptions {
  client: KubeClient;
  discovery: Discovery;
  /** Something changed that is not its status. */
  onChange: (key: string) => void;
  onGone: (key: string) => void;
  onRecovered: () => void;
  onFailure: (path: string, thrown: unknown, failures: number) => void;
}

interface Watched {
  apiVersion: string;
  resource: ApiResource;
  watch: Informer;
}

/** What a reconcile reacts to: everything but status, which is mostly the controller's own. */
function trigger(object: Resource): string {
  const { generation, labels, annotations, finalizers, deletionTimestamp, uid } = object.metadata;
  return canonicalJson([uid, generation, labels, annotations, finalizers, deletionTimestamp]);
}

/** Watches every kind of composition.krateo.io, each in one of its versions. */
export function watchCompositions(options: CompositionOptions): CompositionWatches {
  const { client, discovery } = options;
  const kinds = new Map<string, Watched>();

  const keyOf = (plural: string, { metadata }: Resource): string =>
    `${plural}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

  function start(apiVersion: string, resource: ApiResource): Watched {
    const path = objectPath(apiVersion, resource, null, null);
    const watch = createInformer({
      client,
      path,
      onChange(before, now) {
        const object = now ?? before;
        if (!object) return;
        const key = keyOf(resource.name, object);
        if (!now) options.onGone(key);
        else if (!before || trigger(before) !== trigger(now)) options.onChange(key);
      },
      onRecovered: options.onRecovered,
      onFailure: (thrown, failures) => {
        options.onFailure(path, thrown, failures);
      },
    });
    return { apiVersion, resource, watch };
  }

  function compositionOf({ apiVersion, resource }: Watched, object: Resource): Composition {
    const { namespace = "", name = "" } = object.metadata;
    const path = objectPath(apiVersion, resource, namespace, name);
    return { key: keyOf(resource.name, object), object, path };
  }

  return {
    async refresh() {
      const served = await discovery.group(COMPOSITION_GROUP);
      for (const { apiVersion, resources } of served) {
        for (const resource of resources) {
          const known = kinds.get(resource.name);
          const still = known && served.some((version) => version.apiVersion === known.apiVersion);
          if (still) continue;
          known?.watch.stop();
          kinds.set(resource.name, start(apiVersion, resource));
        }
      }
      const plurals = new Set(served.flatMap(({ resources }) => resources.map(({ name }) => name)));
      for (const [plural, { watch }] of kinds) {
        if (plurals.has(plural)) continue;
        watch.stop();
        kinds.delete(plural);
      }
      await Promise.all([...kinds.values()].map(({ watch }) => watch.synced));
    },
    get(key) {
      const [plural = "", namespace = "", name = ""] = key.split("/");
      const watched = kinds.get(plural);
      const object = watched?.watch.get(namespace, name);
      return watched && object ? compositionOf(watched, object) : null;
    },
    list: () =>
      [...kinds.values()].flatMap((watched) => watched.watch.list().map((object) => compositionOf(watched, object))),
    stop() {
      for (const { watch } of kinds.values()) watch.stop();
    },
  };
}
