import { retryConflicts } from "../../../cluster/retry-conflicts.ts";
import { openShardStore } from "../../../external-data/ledger/shard-store.ts";
import type { SignContext } from "./judge-signature.ts";
import { keyOfShard } from "./key-users.ts";
import type { KeyCluster } from "./open-cluster.ts";

/** A webhook may write a shard at the same moment. */
const ATTEMPTS = 5;

type Cluster = Pick<KeyCluster, "client" | "systemNamespace" | "shards">;

/** Writes the content of a shard again. False for one that no key of the ring signed: the webhooks replace it themselves. */
const writeAgain = ({ client, systemNamespace }: Cluster, name: string, { ring }: SignContext): Promise<boolean> =>
  retryConflicts(async () => {
    const store = openShardStore(client, systemNamespace, name, () => ring);
    const stored = await store.read();
    if (stored?.content == null) return false;
    const { content, resourceVersion } = stored;
    await store.write({ ...content, serial: content.serial + 1 }, resourceVersion);
    return true;
  }, ATTEMPTS);

/** Signs the shards of the ledger again that another key of the ring signed. Returns their names. */
export async function resignShards(cluster: Cluster, context: SignContext, write: boolean): Promise<string[]> {
  const known = new Set(context.ring.slice(1).map(({ id }) => id));
  const signed: string[] = [];
  for (const shard of await cluster.shards()) {
    const { name = "" } = shard.metadata;
    if (!known.has(keyOfShard(shard) ?? "")) continue;
    if (!write || (await writeAgain(cluster, name, context))) signed.push(name);
  }
  return signed;
}
