import type { KubeClient } from "../../cluster/client/create-client.ts";
import { openStore, type Store } from "./open-store.ts";

/** A store without readers is closed after this time, in ms. A page that is loaded again finds it open. */
const IDLE_MS = 60_000;
const CHECK_MS = 10_000;

/** The stores of the namespaces that pages show. */
export interface Stores {
  /** Opens it at the first call. Throws as openStore does. */
  of(namespace: string | null): Promise<Store>;
  stop(): void;
}

interface Opened {
  store: Promise<Store>;
  usedMs: number;
}

export function openStores(client: KubeClient): Stores {
  const stores = new Map<string, Opened>();

  function close(key: string, { store }: Opened): void {
    stores.delete(key);
    store.then(
      (opened) => {
        opened.stop();
      },
      () => undefined,
    );
  }

  async function closeIdle(key: string, opened: Opened): Promise<void> {
    const readers = await opened.store.then(
      (store) => store.readers(),
      () => 0,
    );
    if (readers === 0 && performance.now() - opened.usedMs > IDLE_MS) close(key, opened);
  }

  const timer = setInterval(() => {
    for (const [key, opened] of stores) void closeIdle(key, opened);
  }, CHECK_MS);
  timer.unref();

  return {
    async of(namespace) {
      const key = namespace ?? "";
      const known = stores.get(key);
      if (known !== undefined) {
        known.usedMs = performance.now();
        return known.store;
      }
      const opened: Opened = { store: openStore(client, namespace), usedMs: performance.now() };
      stores.set(key, opened);
      // A failure is not kept: the next page asks again.
      opened.store.catch(() => {
        if (stores.get(key) === opened) stores.delete(key);
      });
      return opened.store;
    },
    stop() {
      clearInterval(timer);
      for (const [key, opened] of stores) close(key, opened);
    },
  };
}
