import type { Resource } from "../model/kubernetes.ts";
import { LANDFALL_SECRETS } from "../model/names.ts";
import type { ApiPath } from "./api-path.ts";
import type { KubeClient } from "./client/create-client.ts";
import { listObjects } from "./list-objects.ts";

/** The records that Secrets hold in their metadata, by the uids of the objects that they are about. */
export interface KnownSecrets<T> {
  /** All of them, listed at the first call that succeeds. A caller that writes a Secret changes this map as well. Rejects with REL_API…. */
  all: () => Promise<Map<string, T>>;
  /** Those that are known without a request. */
  now: () => T[];
}

/** Knows Landfall's own Secrets that `read` takes: null for another Secret. */
export function knowSecrets<T extends { uid: string }>(
  client: KubeClient,
  collection: ApiPath,
  read: (secret: Resource) => T | null,
): KnownSecrets<T> {
  let listed: Promise<Map<string, T>> | null = null;
  let known = new Map<string, T>();

  async function list(): Promise<Map<string, T>> {
    const { items } = await listObjects(client, collection, { labels: LANDFALL_SECRETS, metadataOnly: true });
    const records = items.map(read).filter((one) => one !== null);
    known = new Map(records.map((one) => [one.uid, one]));
    return known;
  }

  return {
    all: () =>
      (listed ??= list().catch((thrown: unknown) => {
        listed = null;
        throw thrown;
      })),
    now: () => [...known.values()],
  };
}
