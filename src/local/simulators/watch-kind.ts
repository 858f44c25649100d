import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import type { KubeApi } from "./kube-api.ts";
import type { Resource } from "./types.ts";

const WATCH_SECONDS = 300;
const PAUSE_MS = 1_000;

export interface KindEvents {
  /** Every object that there is; what is not among them is gone. */
  onList: (resources: Resource[]) => void;
  onChange: (resource: Resource) => void;
  onDelete: (resource: Resource) => void;
  onTrouble: (detail: string) => void;
}

/** The collection of a kind: its path, and the apiVersion and kind that a list leaves out of its items. */
export interface Collection {
  path: string;
  apiVersion: string;
  kind: string;
}

const asResource = (item: unknown, { apiVersion, kind }: Collection): Resource | null => {
  if (!isObject(item) || !isObject(item["metadata"])) return null;
  return { ...item, apiVersion, kind, spec: isObject(item["spec"]) ? item["spec"] : {} } as Resource;
};

const versionOf = (object: unknown): string | null => {
  const metadata = isObject(object) && isObject(object["metadata"]) ? object["metadata"] : {};
  return typeof metadata["resourceVersion"] === "string" ? metadata["resourceVersion"] : null;
};

/** Passes the events of one watch on; answers the version to go on from, or null where a new list is needed. */
async function watchFrom(version: string, { api, collection, events, signal }: Followed): Promise<string | null> {
  const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${version}`;
  let last = version;
  for await (const event of api.watch(`${collection.path}?${query}`, signal)) {
    if (event.type === "ERROR") return null;
    last = versionOf(event.object) ?? last;
    const resource = event.type === "BOOKMARK" ? null : asResource(event.object, collection);
    if (resource !== null) (event.type === "DELETED" ? events.onDelete : events.onChange)(resource);
  }
  return last;
}

/** Lists, then watches from there; returns where the list has to be done anew. */
async function follow(followed: Followed): Promise<void> {
  const { api, collection, events, signal } = followed;
  const list = await api.get(collection.path);
  if (!isObject(list) || !Array.isArray(list["items"])) return;
  events.onList(list["items"].map((item) => asResource(item, collection)).filter((item) => item !== null));
  let version = versionOf(list);
  while (version !== null && !signal.aborted) version = await watchFrom(version, followed);
}

interface Followed {
  api: KubeApi;
  collection: Collection;
  events: KindEvents;
  signal: AbortSignal;
}

/** Keeps up with a kind until `signal` aborts, whatever happens to the API server meanwhile. */
export async function watchKind(followed: Followed): Promise<void> {
  const { events, signal } = followed;
  const running = (): boolean => !signal.aborted;
  while (running()) {
    try {
      await follow(followed);
    } catch (thrown) {
      if (running()) events.onTrouble(messageOf(thrown));
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}
