import { ApiError } from "../../cluster/client/api-error.ts";
import { createGroupInformer, type WatchedKind } from "../../cluster/create-group-informer.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { type Discovery, objectPath } from "../../cluster/discover.ts";
import { KeptShares } from "../../cluster/kept-shares.ts";
import { metadataChanged } from "../../cluster/predicates.ts";
import { objectIn } from "../../cluster/queue/object-key.ts";
import { COMPOSITION_GROUP, isKind } from "../../model/names.ts";
import type { GoneComposition } from "../gone/settle-gone.ts";
import type { Composition } from "../context/composition-context.ts";
import type { KnownObjects } from "../definition/use-of.ts";
import type { Resource } from "../types.ts";
import { keepComposition, keepLeast } from "./keep-composition.ts";

export interface CompositionWatches {
  /** Discovers which kinds composition.krateo.io has now, and watches the new ones. */
  refresh(): Promise<void>;
  /**
   * The whole object, of which a large one is read from the API server. Null if there is none. Throws REL_API…, with the status 404 if it
   * was deleted just now.
   */
  read(key: string): Promise<Composition | null>;
  /** The object as it is kept; null if there is none. */
  peek(key: string): Resource | null;
  /** All objects; of large ones only what schedules and lists need. */
  list(): Composition[];
  /** The objects of a kind, by its plural; null while it is not watched. */
  objectsOf(plural: string): KnownObjects | null;
  /** Whether every kind that was discovered has been listed, and no watch has failed since. */
  isCurrent(): boolean;
  stop(): void;
}

export interface CompositionOptions {
  client: KubeClient;
  discovery: Discovery;
  /** More than the status changed. */
  onChange: (key: string) => void;
  onGone: (gone: GoneComposition) => void;
  onRecovered: () => void;
  onFailure: (path: string, thrown: unknown, failures: number) => void;
  /** Ms to wait for the first list of a new kind; the other kinds do not wait longer for one that cannot be listed. */
  listLimitMs: number;
  /** Watches only the kinds that Landfall decides: where Krateo installs, others are not its own. */
  onlyDecided?: boolean;
}

/** The changes that start a reconcile: everything but status, which mostly the controller itself writes. */
const triggers = metadataChanged("uid", "generation", "labels", "annotations", "finalizers", "deletionTimestamp");

const keyOf = (plural: string, { metadata }: Resource): string =>
  `${plural}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** The plural of the kind in a composition's key. */
export const pluralIn = (key: string): string => objectIn(key).kind;

function compositionOf({ apiVersion, resource }: WatchedKind, object: Resource): Composition {
  const { namespace = "", name = "" } = object.metadata;
  const path = objectPath(apiVersion, resource, namespace, name);
  return { key: keyOf(resource.name, object), object, path };
}

/** Watches every kind of composition.krateo.io, each in one of its versions. */
export function watchCompositions(options: CompositionOptions): CompositionWatches {
  const { client, discovery, onChange, onGone, onRecovered, onFailure } = options;
  const shares = new KeptShares({ parts: keepComposition, least: keepLeast });
  const keep = (given: Resource): Resource => shares.keep(given);
  const group = createGroupInformer({
    ...{ client, discovery, group: COMPOSITION_GROUP, onRecovered, onFailure, keep },
    selects: ({ kind }) => options.onlyDecided !== true || isKind(kind),
    onChange(watched, before, now, last) {
      // A watch that was interrupted reports an object that was deleted and created again as a change.
      if (before !== null && before.metadata.uid !== now?.metadata.uid) {
        shares.drop(before);
        const composition = compositionOf(watched, last === null ? before : keepComposition(last).object);
        onGone({ composition, isFinal: last !== null });
      }
      if (now !== null && triggers(before, keep(now))) onChange(keyOf(watched.resource.name, now));
    },
  });
  const all = (): Composition[] =>
    group.kinds().flatMap((watched) => watched.informer.lister.list().map((object) => compositionOf(watched, object)));

  async function whole(composition: Composition): Promise<Composition> {
    if (shares.isWhole(composition.object)) return composition;
    const object = await client.get<Resource>(composition.path);
    if (object === null) throw new ApiError(404, { action: `GET ${composition.path}`, detail: "it was deleted" });
    return { ...composition, object };
  }

  return {
    async refresh() {
      await group.refresh();
      shares.keepOnly(all().map(({ object }) => object));
      // onFailure has got the reason why a list failed.
      await Promise.allSettled(group.kinds().map(({ informer }) => informer.syncedWithin(options.listLimitMs)));
    },
    async read(key) {
      const { kind: plural, namespace, name } = objectIn(key);
      const watched = group.kind(plural);
      const object = watched?.informer.lister.get(namespace, name);
      return watched && object ? whole(compositionOf(watched, object)) : null;
    },
    peek(key) {
      const { kind: plural, namespace, name } = objectIn(key);
      return group.kind(plural)?.informer.lister.get(namespace, name) ?? null;
    },
    objectsOf(plural) {
      const informer = group.kind(plural)?.informer;
      return informer === undefined ? null : { objects: informer.lister.list(), isCurrent: informer.isCurrent() };
    },
    isCurrent: () => group.kinds().length > 0 && group.kinds().every(({ informer }) => informer.isCurrent()),
    list: all,
    stop: () => {
      group.stop();
    },
  };
}
