import { createInformer, type Informer } from "../../cluster/create-informer.ts";
import type { ApiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { messageOf } from "../../errors.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { Row } from "../contract/rows.ts";
import type { Change } from "../contract/changes.ts";
import { anyRowOf } from "./row-of.ts";
import { servedKinds } from "./served-kinds.ts";

/** How long a caller waits for the first lists, in ms. */
const FIRST_LIST_MS = 30_000;

/** The first rows, while the first lists are being read. */
export interface First {
  /** All rows up to a name, in the order `namespace/name`: what is read later comes after them. */
  rows: Row[];
  /** How many rows have been read, also those after that name. */
  loaded: number;
  /** How many there are, as the API server estimates it; null if it does not say. */
  about: number | null;
}

/** The rows of one namespace, or of all: one list and one watch for each kind, no matter how many pages read them. */
export interface Store {
  /** All rows, when the first lists are whole. Throws REL_API… if they fail, REL_WATCH if they take too long. */
  rows(): Promise<Row[]>;
  /** The first rows until the first lists are whole; null from then on. */
  first(): First | null;
  /** False while a watch does not work: the rows are the last known. */
  isCurrent(): boolean;
  /** Calls `listener` at each change until the function that it returns is called. */
  subscribe(listener: (change: Change) => void): () => void;
  /** How many listen. */
  readers(): number;
  stop(): void;
}

/** One kind, and how far its first list has been read. */
interface Reading {
  informer: Informer;
  /** `namespace/name` of the last object that was read; null if the list is whole. */
  last: string | null;
  remaining: number | null;
  /** Resolves after a page that is not the last. */
  begun: Promise<undefined>;
}

/** The part of an object that the informer keeps: the rows are kept here, and nothing else reads it. */
const nameOnly = ({ apiVersion, kind, metadata }: Resource): Resource => {
  const { name = "", namespace = "", resourceVersion = "" } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, resourceVersion } };
};

const nameOf = ({ namespace = "", name = "" }: { namespace?: string; name?: string }): string => `${namespace}/${name}`;
const keyOf = ({ kind, metadata }: Resource): string => `${kind}/${nameOf(metadata)}`;

/** The first of what can fail again and again: those who wait at that moment get each failure. */
function createFailures(): { fail: (thrown: unknown) => void; unlessFailed: <T>(done: Promise<T>) => Promise<T> } {
  const next = (): PromiseWithResolvers<never> => {
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => undefined);
    return failed;
  };
  let failed = next();
  return {
    fail(thrown) {
      failed.reject(thrown);
      failed = next();
    },
    unlessFailed: (done) => Promise.race([done, failed.promise]),
  };
}

/** The first rows of these kinds; null if all lists are whole. */
function firstOf(readings: readonly Reading[], rows: ReadonlyMap<string, Row>): First | null {
  const unfinished = readings.flatMap(({ last, remaining }) => (last === null ? [] : [{ last, remaining }]));
  if (unfinished.length === 0) return null;
  // Of every kind, at least the objects up to this name are known.
  const until = unfinished.map(({ last }) => last).reduce((least, last) => (last < least ? last : least));
  const counts = unfinished.flatMap(({ remaining }) => remaining ?? []);
  return {
    rows: [...rows.values()].filter((row) => nameOf(row) <= until),
    loaded: rows.size,
    about: counts.length < unfinished.length ? null : counts.reduce((sum, count) => sum + count, rows.size),
  };
}

/**
 * Opens the rows of a namespace; of all that the user may read if it is null. Resolves after the first page of each list. Throws CLI_KIND,
 * REL_API…: what the first attempt gives, because a user who cannot list will not be allowed to a moment later.
 */
export async function openStore(client: KubeClient, namespace: string | null): Promise<Store> {
  const kinds = await servedKinds(client);
  const rows = new Map<string, Row>();
  const listeners = new Set<(change: Change) => void>();
  const { fail, unlessFailed } = createFailures();
  const tell = (change: Change): void => {
    for (const listener of listeners) listener(change);
  };
  const changed = (): void => {
    tell({ type: "changed" });
  };

  function read(path: ApiPath): Reading {
    const begun = Promise.withResolvers<undefined>();
    const informer = createInformer({
      ...{ client, path, keep: nameOnly, onRecovered: changed },
      onChange(before, now) {
        if (now !== null) rows.set(keyOf(now), anyRowOf(now));
        else if (before !== null) rows.delete(keyOf(before));
        changed();
      },
      onPage({ items, isLast, remaining }) {
        if (reading.last === null || isLast) return;
        reading.last = nameOf(items.at(-1)?.metadata ?? {});
        reading.remaining = remaining;
        begun.resolve(undefined);
      },
      onFailure(thrown) {
        fail(thrown);
        tell({ type: "away", message: messageOf(thrown) });
      },
    });
    const reading: Reading = { informer, last: "", remaining: null, begun: begun.promise };
    informer.synced.then(
      () => {
        reading.last = null;
        changed();
      },
      () => undefined,
    );
    return reading;
  }

  const readings = [...kinds.values()].map((pathOf) => read(pathOf(namespace, null)));
  const informers = readings.map(({ informer }) => informer);
  const stop = (): void => {
    for (const informer of informers) informer.stop();
    listeners.clear();
  };
  const begun = readings.map((one) => Promise.race([one.informer.syncedWithin(FIRST_LIST_MS), one.begun]));
  await unlessFailed(Promise.all(begun)).catch((thrown: unknown) => {
    stop();
    throw thrown;
  });
  return {
    async rows() {
      if (firstOf(readings, rows) !== null)
        await unlessFailed(Promise.all(informers.map((one) => one.syncedWithin(FIRST_LIST_MS))));
      return [...rows.values()];
    },
    first: () => firstOf(readings, rows),
    isCurrent: () => informers.every((informer) => informer.isCurrent()),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    readers: () => listeners.size,
    stop,
  };
}
