import { apiPath, below } from "../../cluster/api-path.ts";
import { type KubeClient, METADATA_ONLY } from "../../cluster/client/create-client.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import { PART_OF_LANDFALL } from "../../model/names.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { createSpecReader, type ShardContent, specOf } from "./shard-content.ts";

/** The objects of all shards. */
export const ledgerPath = (namespace: string) =>
  apiPath`/apis/landfall.dev/v1alpha1/namespaces/${namespace}/placementledgers`;

export const shardName = (index: number): string => `reservations-${String(index)}`;

/** One version of a shard's object. */
export interface StoredShard {
  resourceVersion: string;
  /** When it was made, in seconds since 1970. */
  madeAt: number;
  /** Null if someone else than a webhook wrote it. */
  content: ShardContent | null;
}

/** The object of one shard, at the API server. */
export interface ShardStore {
  /** Null if there is none. Rejects with REL_API…. */
  read(): Promise<StoredShard | null>;
  /** Makes it if `resourceVersion` is null. Returns the new version. A change by another client since that version is a conflict (409). */
  write(content: ShardContent, resourceVersion: string | null): Promise<string>;
  versionOf(object: Resource): string;
  /** The version of an event of a watch. */
  parse(object: Resource): StoredShard;
}

/** The shard of this name. `keys` sign it. */
export function openShardStore(client: KubeClient, namespace: string, name: string, keys: () => KeyRing): ShardStore {
  const collection = ledgerPath(namespace);
  const path = below(collection, name);
  const readSpec = createSpecReader(name);
  const versionOf: ShardStore["versionOf"] = ({ metadata }) => metadata.resourceVersion ?? "";
  const parse: ShardStore["parse"] = (object) => ({
    resourceVersion: versionOf(object),
    madeAt: Math.floor(Date.parse(object.metadata.creationTimestamp ?? "") / 1000),
    content: readSpec(keys(), object.spec),
  });
  return {
    ...{ versionOf, parse },
    async read() {
      const found = await client.get<Resource>(path);
      return found && parse(found);
    },
    async write(content, resourceVersion) {
      const version = resourceVersion === null ? {} : { resourceVersion };
      const object = {
        ...{ apiVersion: "landfall.dev/v1alpha1", kind: "PlacementLedger" },
        metadata: { name, namespace, labels: PART_OF_LANDFALL, ...version },
        spec: specOf(keys(), name, content),
      };
      // Of the answer only the version counts.
      const how = { accept: METADATA_ONLY };
      const written = await (resourceVersion === null
        ? client.create<Resource>(collection, object, undefined, how)
        : client.replace<Resource>(path, object, undefined, how));
      return versionOf(written);
    },
  };
}
