import { type ApiPath, below, versionPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { Informer } from "../../cluster/create-informer.ts";
import { createInformer } from "../../cluster/create-informer.ts";
import { type Kept, KeptShares } from "../../cluster/kept-shares.ts";
import { metadataChanged } from "../../cluster/predicates.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { API_VERSION, PLURALS } from "../kinds.ts";
import type { ElementoKind } from "../kinds.ts";
import { keepObject, leastOfObject } from "./keep-object.ts";

export interface ObjectWatches {
  /** The newest known version: from the informer, or from our own write. Of a large one, its names, its id and whether it is ready. */
  find(kind: ElementoKind, namespace: string, name: string): Resource | undefined;
  /** All that the operator reads of an object, of which a large one is read from the API server. Null if there is none. Throws REL_API…. */
  read(kind: ElementoKind, namespace: string, name: string): Promise<Resource | null>;
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

/** Most bytes of the answer with an object. An API server stores 3 MiB at most. */
const OBJECT_BYTES = 8 * 1024 * 1024;

/** The path of an object at the API server. Throws REL_PATH. */
export const pathOf = (kind: ElementoKind, namespace: string, name: string): ApiPath =>
  below(versionPath(API_VERSION), "namespaces", namespace, PLURALS[kind], name);

const idOf = (object: Resource | null): unknown => object?.status?.["id"];

const version = ({ metadata }: Resource): bigint => BigInt(metadata.resourceVersion ?? "0");

/** Watches the objects of the four kinds. */
export function watchObjects(options: WatchesOptions): ObjectWatches {
  const { client, onFailure, onRecovered } = options;
  const shares = new KeptShares({ parts: keepObject, least: leastOfObject });
  const written = new Map<string, Kept>();

  /** Drops our own write once the informer has the same or a newer version. */
  function forgetWritten(object: Resource, gone: boolean): void {
    const own = written.get(keyOf(object));
    if (own && (gone || version(own.object) <= version(object))) written.delete(keyOf(object));
  }

  function notify(before: Resource | null, now: Resource): void {
    if (triggers(before, now)) options.onChange(now);
    if (idOf(before) !== idOf(now)) options.onProgress(now);
  }

  function changed(before: Resource | null, now: Resource | null): void {
    if (before !== null && before.metadata.uid !== now?.metadata.uid) shares.drop(before);
    const object = now ?? before;
    if (!object) return;
    forgetWritten(object, now === null);
    if (now === null) options.onGone(object);
    // The informer has kept its parts already.
    else notify(before, keptOf(now) ?? now);
  }

  const informers = Object.fromEntries(
    Object.entries(PLURALS).map(([kind, plural]): [string, Informer] => {
      const path = below(versionPath(API_VERSION), plural);
      const informer = createInformer({
        ...{ client, path, keep: (object) => shares.keep(object), onChange: changed, onRecovered },
        onFailure: (thrown, failures) => {
          onFailure(path, thrown, failures);
        },
      });
      return [kind, informer];
    }),
  ) as Record<ElementoKind, Informer>;

  const seenOf = (kind: ElementoKind, namespace: string, name: string): Resource | undefined =>
    informers[kind].lister.get(namespace, name);

  function keptOf({ kind, metadata: { namespace = "", name = "" } }: Resource): Resource | undefined {
    return seenOf(kind as ElementoKind, namespace, name);
  }

  function newest(kind: ElementoKind, namespace: string, name: string): Omit<Kept, "weight"> | undefined {
    const seen = seenOf(kind, namespace, name);
    const own = written.get(`${kind}/${namespace}/${name}`);
    if (seen && own && version(own.object) > version(seen)) return own;
    return seen && { object: seen, isWhole: shares.isWhole(seen) };
  }

  return {
    find: (kind, namespace, name) => newest(kind, namespace, name)?.object,
    async read(kind, namespace, name) {
      const known = newest(kind, namespace, name);
      if (known === undefined) return null;
      if (known.isWhole) return known.object;
      return client.get<Resource>(pathOf(kind, namespace, name), { maxBytes: OBJECT_BYTES });
    },
    wrote(object) {
      const seen = keptOf(object);
      // The watch was quicker than the answer, or the object is gone.
      if (seen === undefined || version(object) <= version(seen)) return;
      written.set(keyOf(object), keepObject(object));
    },
    list: () => Object.values(informers).flatMap(({ lister }) => lister.list()),
    stop() {
      for (const informer of Object.values(informers)) informer.stop();
    },
  };
}
