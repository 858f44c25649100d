import { createInformer, type Informer } from "../../cluster/create-informer.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { messageOf } from "../../errors.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { Row } from "../contract/rows.ts";
import type { Change } from "../contract/changes.ts";
import { anyRowOf } from "./row-of.ts";
import { servedKinds } from "./served-kinds.ts";

/** How long the first list may take, in ms. */
const FIRST_LIST_MS = 30_000;

/** The rows of one namespace, or of all: one list and one watch for each kind, no matter how many pages read them. */
export interface Store {
  rows(): IterableIterator<Row>;
  /** False while a watch does not work: the rows are the last known. */
  isCurrent(): boolean;
  /** Calls `listener` at each change until the function that it returns is called. */
  subscribe(listener: (change: Change) => void): () => void;
  /** How many listen. */
  readers(): number;
  stop(): void;
}

/** The part of an object that the informer keeps: the rows are kept here, and nothing else reads it. */
const nameOnly = ({ apiVersion, kind, metadata }: Resource): Resource => {
  const { name = "", namespace = "", resourceVersion = "" } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, resourceVersion } };
};

const keyOf = ({ kind, metadata }: Resource): string => `${kind}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/**
 * Opens the rows of a namespace; of all that the user may read if it is null. Resolves after the first lists. Throws CLI_KIND, REL_API…:
 * what the first attempt gives, because a user who cannot list will not be allowed to a moment later.
 */
export async function openStore(client: KubeClient, namespace: string | null): Promise<Store> {
  const kinds = await servedKinds(client);
  const rows = new Map<string, Row>();
  const listeners = new Set<(change: Change) => void>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const tell = (change: Change): void => {
    for (const listener of listeners) listener(change);
  };
  const informers: Informer[] = [...kinds.values()].map((pathOf) =>
    createInformer({
      ...{ client, path: pathOf(namespace, null), keep: nameOnly },
      onChange(before, now) {
        if (now !== null) rows.set(keyOf(now), anyRowOf(now));
        else if (before !== null) rows.delete(keyOf(before));
        tell({ type: "changed" });
      },
      onFailure(thrown) {
        failed.reject(thrown);
        tell({ type: "away", message: messageOf(thrown) });
      },
      onRecovered: () => {
        tell({ type: "changed" });
      },
    }),
  );
  const stop = (): void => {
    for (const informer of informers) informer.stop();
    listeners.clear();
  };
  try {
    await Promise.race([Promise.all(informers.map((one) => one.syncedWithin(FIRST_LIST_MS))), failed.promise]);
  } catch (thrown) {
    stop();
    throw thrown;
  }
  return {
    rows: () => rows.values(),
    isCurrent: () => informers.every((informer) => informer.isCurrent()),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    readers: () => listeners.size,
    stop,
  };
}
