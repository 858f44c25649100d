import type { ApiPath } from "../../../cluster/api-path.ts";
import { hasStatus } from "../../../cluster/client/api-error.ts";
import { createClient, type KubeClient } from "../../../cluster/client/create-client.ts";
import { discover, objectPath } from "../../../cluster/discover.ts";
import { listObjects } from "../../../cluster/list-objects.ts";
import { loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import { secretsPath } from "../../../cluster/secrets-path.ts";
import { LandfallError } from "../../../errors.ts";
import { ledgerPath } from "../../../external-data/ledger/shard-store.ts";
import { type KeyEntry, keysAmong } from "../../../keys/key-entries.ts";
import { type KeySecret, openKeySecret } from "../../../keys/key-secret.ts";
import { LANDFALL_SECRETS, COMPOSITION_GROUP, isKind } from "../../../model/names.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import type { Cli } from "../../cli.ts";
import type { ClusterFlags } from "../../options/cluster-options.ts";

export interface DecidedObject {
  object: Resource;
  path: ApiPath;
}

/** The parts of a cluster that the commands about keys need. */
export interface KeyCluster {
  client: KubeClient;
  systemNamespace: string;
  secret: KeySecret;
  /** The stored keys, newest first. Throws CLI_KEYS_NONE and ADM_SIGNING_KEY. */
  keys: () => Promise<{ keys: [KeyEntry, ...KeyEntry[]]; resourceVersion: string }>;
  /** Every object that Landfall decides. */
  objects: () => Promise<DecidedObject[]>;
  /** The metadata of Landfall's Secrets. */
  secrets: () => Promise<Resource[]>;
  /** The shards of the ledger of reservations. */
  shards: () => Promise<Resource[]>;
}

/** None where the kind is not installed: then no webhook writes a ledger. */
async function listShards(client: KubeClient, systemNamespace: string): Promise<Resource[]> {
  try {
    return (await listObjects(client, ledgerPath(systemNamespace))).items;
  } catch (thrown) {
    if (hasStatus(thrown, 404)) return [];
    throw thrown;
  }
}

async function listDecided(client: KubeClient): Promise<DecidedObject[]> {
  const served = await discover(client).group(COMPOSITION_GROUP);
  const kinds = served.flatMap(({ apiVersion, resources }) =>
    resources.filter(({ kind }) => isKind(kind)).map((resource) => ({ apiVersion, resource })),
  );
  const found = new Map<string, DecidedObject>();
  for (const { apiVersion, resource } of kinds) {
    const { items } = await listObjects(client, objectPath(apiVersion, resource, null, null));
    for (const object of items) {
      const { uid = "", namespace = "", name = "" } = object.metadata;
      // Every version shows every object.
      found.set(uid, { object, path: objectPath(apiVersion, resource, namespace, name) });
    }
  }
  return [...found.values()];
}

/** Runs `work` with a cluster and closes the connection. */
export async function withCluster(
  { env }: Cli,
  { kubeconfig, systemNamespace }: ClusterFlags,
  work: (cluster: KeyCluster) => Promise<void>,
): Promise<void> {
  const client = createClient(await loadKubeconfig(kubeconfig, env));
  const secret = openKeySecret(client, systemNamespace);
  try {
    await work({
      ...{ client, systemNamespace, secret },
      keys: async () => {
        const stored = await secret.read();
        if (stored === null) throw new LandfallError("CLI_KEYS_NONE", { where: secret.where });
        const { entries, resourceVersion } = stored;
        return { keys: keysAmong(entries, secret.where, "ADM_SIGNING_KEY"), resourceVersion };
      },
      objects: () => listDecided(client),
      secrets: async () =>
        (await listObjects(client, secretsPath(systemNamespace), { labels: LANDFALL_SECRETS, metadataOnly: true }))
          .items,
      shards: () => listShards(client, systemNamespace),
    });
  } finally {
    await client.close();
  }
}
