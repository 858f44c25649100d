import { below, versionPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { Informer } from "../../cluster/create-informer.ts";
import { createInformer } from "../../cluster/create-informer.ts";
import { metadataChanged } from "../../cluster/predicates.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { API_VERSION, PLURALS } from "../kinds.ts";
import type { ElementoKind } from "../kinds.ts";

export interface ObjectWatches {
  /** The newest known version: from the informer, or from our own write. */
  find(kind: ElementoKind, namespace: string, name: string): Resource | undefined;
  wrote(object: Resource): void;
  list(): Resource[];
  stop(): void;
}

export interface WatchesOptions {
  readonly client: KubeClient;
  /** Called for every change except of the status. */
  readonly onChange: (object: Resource) => void;
  readonly onGone: (object: Resource) => void;
  /** Called if an object has a new id or becomes ready: others may wait for it. */
  readonly onProgress: (object: Resource) => void;
  readonly onRecovered: () => void;
  readonly onFailure: (path: string, thrown: unknown, failures: number) => void;
}

export const keyOf = ({ kind, metadata }: Resource): string =>
  `${kind}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** Changes that start a reconcile: everything but the status, which only the operator writes. */
const triggers = metadataChanged("uid", "generation", "annotations", "finalizers", "deletionTimestamp");

const idOf = (object: Resource | null): unknown => object?.status?.["id"];

const version = ({ metadata }: Resource): bigint => BigInt(metadata.resourceVersion ?? "0");

/** Watches the objects of the four kinds. */
export function watchObjects(options: WatchesOptions): ObjectWatches {
  const { client, onFailure, onRecovered } = options;
  const written = new Map<string, Resource>();

  /** Drops our own write once the informer has the same or a newer version. */
  function forgetWritten(object: Resource, gone: boolean): void {
    const own = written.get(keyOf(object));
    if (own && (gone || version(own) <= version(object))) written.delete(keyOf(object));
  }

  function notify(before: Resource | null, now: Resource): void {
    if (triggers(before, now)) options.onChange(now);
    if (idOf(before) !== idOf(now)) options.onProgress(now);
  }

  function changed(before: Resource | null, now: Resource | null): void {
    const object = now ?? before;
    if (!object) return;
    forgetWritten(object, now === null);
    if (now === null) options.onGone(object);
    else notify(before, now);
  }

  const informers = Object.fromEntries(
    Object.entries(PLURALS).map(([kind, plural]): [string, Informer] => {
      const path = below(versionPath(API_VERSION), plural);
      const informer = createInformer({
        ...{ client, path, onChange: changed, onRecovered },
        onFailure: (thrown, failures) => {
          onFailure(path, thrown, failures);
        },
      });
      return [kind, informer];
    }),
  ) as Record<ElementoKind, Informer>;

  return {
    find(kind, namespace, name) {
      const seen = informers[kind].lister.get(namespace, name);
      const own = written.get(`${kind}/${namespace}/${name}`);
      return seen && own && version(own) > version(seen) ? own : seen;
    },
    wrote: (object) => void written.set(keyOf(object), object),
    list: () => Object.values(informers).flatMap(({ lister }) => lister.list()),
    stop() {
      for (const informer of Object.values(informers)) informer.stop();
    },
  };
}
