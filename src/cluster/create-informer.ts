import { setTimeout as sleep } from "node:timers/promises";
import type { Resource } from "../model/kubernetes.ts";
import { LandfallError, messageOf } from "../errors.ts";
import { ApiError, hasStatus } from "./client/api-error.ts";
import type { ApiPath } from "./api-path.ts";
import { type KubeClient, METADATA_ONLY } from "./client/create-client.ts";
import { type Page, pagesOf } from "./list-objects.ts";

export interface InformerOptions {
  client: KubeClient;
  /** e.g. `/apis/composition.krateo.io/v0-1-0/vmtemplates` */
  path: ApiPath;
  /**
   * `before` is null for a new object, `now` for a deleted one. `last` is the state in which an object was deleted; null where a list
   * lacks it, so that no one saw how it went. `now` and `last` are whole, `before` is what was kept.
   */
  onChange: (before: Resource | null, now: Resource | null, last: Resource | null) => void;
  /** Called when the watch works again after a failure: the store holds all changes that the failed watch missed. */
  onRecovered?: () => void;
  /** Which objects are read, and how much of them; all of everything if omitted. */
  selects?: { labels: string; metadataOnly: boolean };
  /**
   * Reduces an object to what the store keeps, at least its names and `resourceVersion`; all of it if omitted. Users can make objects
   * large, and the store holds all objects of the cluster.
   */
  keep?: (object: Resource) => Resource;
  /** The objects that an earlier informer of the kind knew, in another version: those that the first list lacks are reported as deleted. */
  known?: Resource[];
  onFailure?: (thrown: unknown, failures: number) => void;
  /** Called after each page of a list, when its objects are in the store. */
  onPage?: (page: Page) => void;
  /** Seconds after which the list is read again even if the watch did not fail. */
  relistSeconds?: number;
}

/** Reads the store of an informer. */
export interface Lister {
  get(namespace: string, name: string): Resource | undefined;
  list(): Resource[];
}

export interface Informer {
  lister: Lister;
  /** True after the first list, and while the watch does not fail. */
  isCurrent(): boolean;
  /** Resolves after the first list; rejects if the informer is stopped before. */
  synced: Promise<void>;
  /** As `synced`, but throws REL_WATCH with the last failure if the first list takes longer than so many ms. */
  syncedWithin(ms: number): Promise<void>;
  stop(): void;
}

interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: Resource & { code?: number; message?: string };
}

const MAX_BACKOFF_MS = 10_000;
/** A watch that is open for so many ms works, also without an event. */
const STEADY_MS = 1000;

const keyOf = (object: Resource): string => `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** Versions of one etcd rise. A lower one shows that etcd was restored from a backup, which gives versions out a second time. */
const isLower = (version: string, than: string): boolean =>
  /^\d+$/.test(version) && /^\d+$/.test(than) && BigInt(version) < BigInt(than);

/**
 * Keeps a copy of all objects of one kind: a list, then a watch. After a failed watch, and after a restore of etcd, it lists again.
 */
export function createInformer(options: InformerOptions): Informer {
  const { client, path, onChange, selects, keep = (object: Resource) => object } = options;
  const selected = selects === undefined ? {} : { labelSelector: selects.labels };
  const objects = new Map((options.known ?? []).map((object) => [keyOf(object), object]));
  const abort = new AbortController();
  const first = Promise.withResolvers<undefined>();
  const relistMs = (options.relistSeconds ?? 600) * 1000;
  let version = "";
  /** The last version, also after a failure. */
  let latest = "";
  let listedAt = 0;
  let failures = 0;
  let lastFailure = "the API server has not answered yet";

  const stopped = (): boolean => abort.signal.aborted;
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: abort.signal }).catch(() => undefined);

  /** `isRestored`: its version says nothing, because it may be given out for the second time. */
  function put(given: Resource, isRestored = false): void {
    const known = objects.get(keyOf(given));
    // In another version than before, an object is a new one.
    const before = known?.apiVersion === given.apiVersion ? known : null;
    const isKnown = before !== null && before.metadata.resourceVersion === given.metadata.resourceVersion;
    if (stopped() || (isKnown && !isRestored)) return;
    objects.set(keyOf(given), keep(given));
    onChange(before, given, null);
  }

  function drop(key: string, last: Resource | null): void {
    const known = objects.get(key);
    if (stopped() || !known) return;
    objects.delete(key);
    onChange(known, null, last);
  }

  async function relist(): Promise<void> {
    const present = new Set<string>();
    let listed = "";
    for await (const page of pagesOf(client, path, { signal: abort.signal, ...selects })) {
      if (stopped()) return;
      listed = page.resourceVersion;
      const isRestored = isLower(listed, latest);
      for (const item of page.items) {
        present.add(keyOf(item));
        put(item, isRestored);
      }
      options.onPage?.(page);
    }
    for (const key of [...objects.keys()].filter((known) => !present.has(known))) drop(key, null);
    version = listed;
    latest = listed;
    listedAt = Date.now();
    first.resolve(undefined);
  }

  function take(event: WatchEvent): void {
    if (event.type === "ERROR") {
      throw new ApiError(event.object.code ?? 500, { action: `watch ${path}`, detail: event.object.message ?? "" });
    }
    const seen = event.object.metadata.resourceVersion ?? version;
    if (isLower(seen, version))
      throw new ApiError(410, { action: `watch ${path}`, detail: `version ${seen} follows ${version}` });
    version = seen;
    latest = seen;
    if (event.type === "BOOKMARK") return;
    if (event.type === "DELETED") drop(keyOf(event.object), event.object);
    else put(event.object);
  }

  function recovered(): void {
    if (failures > 0 && !stopped()) options.onRecovered?.();
    failures = 0;
  }

  async function follow(): Promise<void> {
    const seconds = Math.max(1, Math.min(290, Math.ceil((listedAt + relistMs - Date.now()) / 1000)));
    const query = {
      ...selected,
      watch: true,
      allowWatchBookmarks: true,
      timeoutSeconds: seconds,
      resourceVersion: version,
    };
    const accept = selects?.metadataOnly === true ? METADATA_ONLY : undefined;
    const chunks = await client.stream(path, { query, accept, signal: abort.signal });
    const openedAt = performance.now();
    const steady = setTimeout(recovered, STEADY_MS);
    try {
      for await (const line of linesOf(chunks)) {
        if (!line) continue;
        take(JSON.parse(line) as WatchEvent);
        recovered();
      }
    } finally {
      clearTimeout(steady);
    }
    await pause(Math.max(0, openedAt + STEADY_MS - performance.now()));
  }

  async function once(): Promise<void> {
    if (!version || Date.now() - listedAt >= relistMs) await relist();
    if (!stopped()) await follow();
  }

  async function afterFailure(thrown: unknown): Promise<void> {
    failures += 1;
    lastFailure = messageOf(thrown);
    // After a failure the list is read again. Only a watch that ended without one continues from its version.
    version = "";
    if (!hasStatus(thrown, 410)) options.onFailure?.(thrown, failures);
    const delay = Math.min(MAX_BACKOFF_MS, 200 * 2 ** failures) * (0.5 + Math.random() / 2);
    await pause(delay);
  }

  async function syncedWithin(ms: number): Promise<void> {
    const done = new AbortController();
    const late = sleep(ms, undefined, { signal: done.signal }).then(() => {
      throw new LandfallError("REL_WATCH", { path, detail: lastFailure });
    });
    await Promise.race([first.promise, late]).finally(() => {
      late.catch(() => undefined);
      done.abort();
    });
  }

  async function run(): Promise<void> {
    while (!stopped()) {
      try {
        await once();
      } catch (thrown) {
        if (!stopped()) await afterFailure(thrown);
      }
    }
  }

  // Without a waiting caller, the rejection at stop is not an unhandled one.
  first.promise.catch(() => undefined);
  void run();
  return {
    lister: {
      get: (namespace, name) => objects.get(`${namespace}/${name}`),
      list: () => [...objects.values()],
    },
    isCurrent: () => listedAt > 0 && failures === 0,
    synced: first.promise,
    syncedWithin,
    stop() {
      abort.abort();
      first.reject(new ApiError(0, { action: `watch ${path}`, detail: "the informer was stopped" }));
    },
  };
}
