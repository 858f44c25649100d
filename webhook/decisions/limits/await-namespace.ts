import { setTimeout as sleep } from "node:timers/promises";
import { LandfallError } from "../../../src/errors.ts";
import type { NamespaceData } from "../../../src/model/kubernetes.ts";

/** A request waits this long for its namespace, in ms. */
const PATIENCE_MS = 2000;
/** Pause between two reads, in ms. */
const PAUSE_MS = 200;

export interface NamespaceSource {
  /** Whether the cluster's data has been read once. */
  hasSynced: () => boolean;
  /** Whether the namespace's rules are known here. */
  knows: (name: string) => boolean;
  /** Reads a namespace from the API server; null if there is none. Rejects if the API server does not answer. */
  read: (name: string, signal: AbortSignal) => Promise<NamespaceData | null>;
  /** Receives the data of a namespace that was read. */
  onRead: (data: NamespaceData) => void;
}

/** Resolves when the rules of a namespace are known. Rejects with ADM_STARTING or ADM_NAMESPACE_UNKNOWN. */
export type AwaitNamespace = (name: string) => Promise<void>;

/**
 * Makes sure that no request is decided without the rules of its namespace: the event of a new namespace may come after the
 * first request in it. A namespace is read once for all requests that wait for it.
 */
export function awaitNamespace({ hasSynced, knows, read, onRead }: NamespaceSource): AwaitNamespace {
  const waiting = new Map<string, Promise<void>>();

  async function find(name: string): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (!signal.aborted && !knows(name)) {
      const data = await read(name, signal).catch(() => null);
      // Its event may have come meanwhile, and is newer.
      if (data !== null && !knows(name)) onRead(data);
      if (data === null && !knows(name)) await sleep(PAUSE_MS);
    }
    if (!knows(name)) throw new LandfallError("ADM_NAMESPACE_UNKNOWN", { namespace: name });
  }

  return async (name) => {
    if (!hasSynced()) throw new LandfallError("ADM_STARTING");
    if (knows(name)) return;
    const found = waiting.get(name) ?? find(name).finally(() => waiting.delete(name));
    waiting.set(name, found);
    await found;
  };
}
