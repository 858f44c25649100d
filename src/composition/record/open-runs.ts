import type { KubeClient } from "../../cluster/client/create-client.ts";
import { below } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import { knowSecrets } from "../../cluster/know-secrets.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import {
  readRunRecord,
  type RunRecord,
  runRecordMetadata,
  runRecordName,
  startOf,
} from "../../model/runs/run-record.ts";
import type { Resource } from "../types.ts";

/** The records of runs, in Landfall's own namespace, where tenants cannot write. */
export interface Runs {
  /** The present run of the object with this uid; null for none. */
  read(uid: string): Promise<RunRecord | null>;
  /**
   * Records that a run starts. It started when the API server stored the record, by its own clock, unless `since` says that it
   * was there before. A run that is recorded already stays.
   */
  start(record: Omit<RunRecord, "startedAt">, since: number | null): Promise<RunRecord>;
  /**
   * Returns what is stored. A record that was changed since it was read is a conflict (409), no matter who changed it. An end is recorded without
   * the machine if the API server refuses it with the machine: nothing that a provider's operator writes keeps a run from ending.
   */
  change(record: RunRecord): Promise<RunRecord>;
  remove(uid: string): Promise<void>;
  /** All that are known, for metrics and for ends that are due. */
  list(): RunRecord[];
}

const TYPE = "landfall.dev/run-record";

/** Whether the API server refuses what is in a request. */
const isInvalid = (thrown: unknown): boolean => [400, 413, 422].some((status) => hasStatus(thrown, status));

export function openRuns(client: KubeClient, systemNamespace: string): Runs {
  const collection = secretsPath(systemNamespace);
  const { all, now } = knowSecrets(client, collection, (secret) => {
    const record = readRunRecord(secret);
    return record && knownOf(record, secret);
  });

  const knownOf = (record: RunRecord, secret: Resource): RunRecord => ({
    ...record,
    ...startOf(record, secret),
    version: secret.metadata.resourceVersion ?? "",
  });

  const secretOf = (record: RunRecord) => ({
    ...{ apiVersion: "v1", kind: "Secret", type: TYPE },
    metadata: {
      ...{ ...runRecordMetadata(record), namespace: systemNamespace },
      ...(record.version && { resourceVersion: record.version }),
    },
  });

  /** Reads one again, which another controller changed. */
  async function refresh(uid: string): Promise<RunRecord | null> {
    const secret = await client.get<Resource>(below(collection, runRecordName(uid)));
    const record = secret === null ? null : readRunRecord(secret);
    const records = await all();
    if (secret === null || record === null) {
      records.delete(uid);
      return null;
    }
    const fresh = knownOf(record, secret);
    records.set(uid, fresh);
    return fresh;
  }

  async function replace(record: RunRecord): Promise<RunRecord> {
    const path = below(collection, runRecordName(record.uid));
    const stored = await client.replace<Resource>(path, secretOf(record));
    const changed = knownOf(record, stored);
    (await all()).set(record.uid, changed);
    return changed;
  }

  return {
    read: async (uid) => (await all()).get(uid) ?? null,
    async start(given, since) {
      const record: RunRecord = { ...given, startedAt: since ?? 0 };
      try {
        const stored = await client.create<Resource>(collection, secretOf(record));
        const started = knownOf(record, stored);
        (await all()).set(record.uid, started);
        return started;
      } catch (thrown) {
        if (!hasStatus(thrown, 409)) throw thrown;
        const present = await refresh(record.uid);
        if (present === null) throw thrown;
        return present;
      }
    },
    async change(record) {
      try {
        return await replace(record);
      } catch (thrown) {
        if (record.end !== null && record.machine !== null && isInvalid(thrown))
          return this.change({ ...record, machine: null });
        await refresh(record.uid);
        throw thrown;
      }
    },
    async remove(uid) {
      await client.remove(below(collection, runRecordName(uid)));
      (await all()).delete(uid);
    },
    list: now,
  };
}
