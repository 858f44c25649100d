import type { Resource } from "../../model/kubernetes.ts";
import type { ShardContent } from "./shard-content.ts";
import type { ShardMemory } from "./shard-memory.ts";
import type { ShardStore, StoredShard } from "./shard-store.ts";

/** The object of a shard, and the memory that follows it. */
export interface FollowedShard {
  /** Whether the memory knows the object as it was read or written last. */
  isRead(): boolean;
  exists(): boolean;
  /** When it was made, in seconds since 1970; null if there is none. Rejects with REL_API…. */
  read(): Promise<number | null>;
  /** Writes the next content. Rejects with REL_API…: a change by someone else is a conflict (409). */
  write(content: ShardContent, origins: ReadonlyMap<string, object>): Promise<void>;
  /** The object has to be read before it is written again. */
  forget(): void;
  /** An event of the watch; null: it was deleted. */
  hear(object: Resource | null): void;
}

const isNewer = (version: string, than: string): boolean => BigInt(version) > BigInt(than);

/** Follows one shard. What no webhook can have written makes the memory take its entries for lost. */
export function followShard(store: ShardStore, memory: ShardMemory, nowSeconds: () => number): FollowedShard {
  /** Null: there is no object. */
  let version: string | null = null;
  let isRead = false;

  function take({ resourceVersion, content }: StoredShard): void {
    if (version === resourceVersion) return;
    // After a restore of etcd, versions are given out a second time.
    const isRestored = version !== null && !isNewer(resourceVersion, version);
    if (content === null || isRestored || content.serial <= memory.serial()) memory.lose(nowSeconds());
    else memory.learn(content, nowSeconds());
    version = resourceVersion;
  }

  return {
    isRead: () => isRead,
    exists: () => version !== null,
    async read() {
      const stored = await store.read();
      if (stored !== null) take(stored);
      else if (version !== null) memory.lose(nowSeconds());
      if (stored === null) version = null;
      isRead = true;
      return stored && stored.madeAt;
    },
    async write(content, origins) {
      version = await store.write(content, version);
      memory.wrote(content, origins);
    },
    forget() {
      isRead = false;
    },
    hear(object) {
      if (object === null) isRead = false;
      // Most are the own writes, which need not be read.
      else if (version === null || isNewer(store.versionOf(object), version)) take(store.parse(object));
    },
  };
}
