import { below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { createOnce } from "../../cluster/create-once.ts";
import { knowSecrets } from "../../cluster/know-secrets.ts";
import { isAdoptable, readRetained, type Retained, retainedMetadata, retainedName } from "../../model/runs/retained.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import type { Resource } from "../types.ts";

/** The records of what deleted objects left running, in Landfall's own namespace, where tenants cannot write. */
export interface Retentions {
  /** Records it; nothing if it is recorded already. Throws REL_API…: then the object must stay. */
  record(retained: Retained): Promise<void>;
  /** Removes the record of the release that an object has taken over. */
  adopted(object: Resource, release: string): Promise<void>;
  /** Removes the record of an orphaned release of which nothing is left, by the uid of its object. */
  ended(uid: string): Promise<void>;
}

const TYPE = "landfall.dev/retained";

/** Whether this object, which has the release `own`, now runs what is recorded. */
function isTakenOver({ workload, release }: Retained, object: Resource, own: string): boolean {
  const { namespace, name } = object.metadata;
  const isSame = workload.kind === object.kind && workload.namespace === namespace && workload.name === name;
  return isSame && release === own;
}

export function openRetentions(client: KubeClient, systemNamespace: string): Retentions {
  const collection = secretsPath(systemNamespace);
  const { all } = knowSecrets(client, collection, readRetained);

  async function drop(uid: string): Promise<void> {
    await client.remove(below(collection, retainedName(uid)));
    (await all()).delete(uid);
  }

  return {
    record: async (retained) => {
      const metadata = { ...retainedMetadata(retained), namespace: systemNamespace };
      await createOnce(client, collection, { apiVersion: "v1", kind: "Secret", type: TYPE, metadata });
      (await all()).set(retained.uid, retained);
    },
    adopted: async (object, release) => {
      const records = await all();
      for (const [uid, retained] of [...records]) {
        if (!isAdoptable(retained) || !isTakenOver(retained, object, release)) continue;
        await drop(uid);
      }
    },
    ended: async (uid) => {
      const retained = (await all()).get(uid);
      if (retained !== undefined && isAdoptable(retained)) await drop(uid);
    },
  };
}
