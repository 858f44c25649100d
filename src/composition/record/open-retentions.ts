import { LandfallError } from "../../errors.ts";
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
  /** The same, unless the namespace has too many records that no one has acknowledged: then it throws REL_RETAINED_MANY. */
  recordIfRoom: (retained: Retained) => Promise<void>;
  /** Removes the record of the release that an object has taken over. */
  adopted(object: Resource, release: string): Promise<void>;
  /** Removes the record of an orphaned release of which nothing is left, by the uid of its object. */
  ended(uid: string): Promise<void>;
}

const TYPE = "landfall.dev/retained";

/** Of one namespace, so many records can wait for an acknowledgement. Each takes a Secret, and counts in each process. */
export const MOST_RETAINED = 500;
/** At the limit, so many of them are read again at a time, since someone can have acknowledged them. */
const LOOKS = 20;

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

  const record = async (retained: Retained): Promise<void> => {
    const metadata = { ...retainedMetadata(retained), namespace: systemNamespace };
    await createOnce(client, collection, { apiVersion: "v1", kind: "Secret", type: TYPE, metadata });
    (await all()).set(retained.uid, retained);
  };

  async function openOf(namespace: string): Promise<string[]> {
    const records = [...(await all()).values()];
    return records
      .filter((one) => one.workload.namespace === namespace && one.acknowledged === null)
      .map(({ uid }) => uid);
  }

  /** Those that were read last come last the next time. */
  async function readAgain(uids: readonly string[]): Promise<void> {
    const records = await all();
    for (const uid of uids) {
      const secret = await client.get<Resource>(below(collection, retainedName(uid)));
      const retained = secret === null ? null : readRetained(secret);
      records.delete(uid);
      if (retained !== null) records.set(uid, retained);
    }
  }

  async function assertRoom({ uid, workload: { namespace, kind, name } }: Retained): Promise<void> {
    if ((await all()).has(uid)) return;
    const open = await openOf(namespace);
    if (open.length < MOST_RETAINED) return;
    await readAgain(open.slice(0, LOOKS));
    const count = (await openOf(namespace)).length;
    if (count >= MOST_RETAINED) throw new LandfallError("REL_RETAINED_MANY", { namespace, count, kind, name });
  }

  return {
    record,
    recordIfRoom: async (retained) => {
      await assertRoom(retained);
      await record(retained);
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
