import { setImmediate as turn } from "node:timers/promises";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { ShardContent } from "../../../src/external-data/ledger/shard-content.ts";
import type { ShardStore } from "../../../src/external-data/ledger/shard-store.ts";

type Happening = "late" | "lost answer" | "error" | null;

export interface SharedStore {
  /** The store as one replica reaches it. */
  open: () => ShardStore;
  content: () => ShardContent | null;
  /** Someone else deletes the object, or writes another content; null for one that no webhook signed. */
  remove: () => void;
  edit: (content: ShardContent | null) => void;
}

const failure = (status: number): ApiError =>
  new ApiError(status, { action: "PUT", detail: `status ${String(status)}` });

/** One shard's object at an API server with optimistic concurrency. `happens`: what happens to the next call. */
export function sharedStore(happens: (call: "read" | "write") => Happening = () => null): SharedStore {
  let stored: { version: number; content: ShardContent | null } | null = null;
  let version = 0;
  const put = (content: ShardContent | null): string => {
    version += 1;
    stored = { version, content };
    return String(version);
  };
  async function reach<T>(call: "read" | "write", work: () => T): Promise<T> {
    const happening = happens(call);
    await turn();
    if (happening === "late") for (let turns = 0; turns < 5; turns++) await turn();
    if (happening === "error") throw failure(500);
    const result = work();
    await turn();
    if (happening === "lost answer") throw failure(0);
    return result;
  }
  return {
    content: () => stored?.content ?? null,
    remove() {
      stored = null;
    },
    edit(content) {
      put(content);
    },
    open: () => ({
      versionOf: () => "",
      parse: () => ({ resourceVersion: "", madeAt: 0, content: null }),
      read: () =>
        reach("read", () => stored && { resourceVersion: String(stored.version), madeAt: 0, content: stored.content }),
      write: (content, resourceVersion) =>
        reach("write", () => {
          if (resourceVersion !== (stored === null ? null : String(stored.version))) throw failure(409);
          return put(content);
        }),
    }),
  };
}
