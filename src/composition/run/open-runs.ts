import type { KubeClient } from "../../cluster/create-client.ts";
import { below } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/api-error.ts";
import { listObjects } from "../../cluster/list-objects.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { LANDFALL_SECRETS } from "../../model/decision-annotation/system-secrets.ts";
import { readRunRecord, type RunRecord, runRecordMetadata, runRecordName } from "../../model/run-record.ts";
import { parseTime } from "../../model/time.ts";
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
  /** Returns what is stored. A record that was changed since it was read is a conflict (409), whoever changed it. */
  change(record: RunRecord): Promise<RunRecord>;
  remove(uid: string): Promise<void>;
  /** All that are known, for metrics and for ends that are due. */
  list(): RunRecord[];
}

const TYPE = "landfall.dev/run-record";

export function openRuns(client: KubeClient, systemNamespace: string): Runs {
  const collection = secretsPath(systemNamespace);
  let known: Promise<Map<string, RunRecord>> | null = null;
  let loaded: Map<string, RunRecord> | null = null;

  async function load(): Promise<Map<string, RunRecord>> {
    const { items } = await listObjects(client, collection, { labels: LANDFALL_SECRETS, metadataOnly: true });
    const records = new Map<string, RunRecord>();
    for (const secret of items) {
      const record = readRunRecord(secret);
      if (record !== null) records.set(record.uid, knownOf(record, secret));
    }
    loaded = records;
    return records;
  }

  function all(): Promise<Map<string, RunRecord>> {
    known ??= load().catch((thrown: unknown) => {
      known = null;
      throw thrown;
    });
    return known;
  }

  const knownOf = (record: RunRecord, { metadata }: Resource): RunRecord => {
    // While it is not written back, the time of the record itself is the start.
    const startedAt = record.startedAt > 0 ? record.startedAt : (parseTime(metadata.creationTimestamp ?? "") ?? 0);
    return { ...record, startedAt, version: metadata.resourceVersion ?? "" };
  };

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
      const records = await all();
      const path = below(collection, runRecordName(record.uid));
      try {
        const stored = await client.replace<Resource>(path, secretOf(record));
        const changed = knownOf(record, stored);
        records.set(record.uid, changed);
        return changed;
      } catch (thrown) {
        await refresh(record.uid);
        throw thrown;
      }
    },
    async remove(uid) {
      await client.remove(below(collection, runRecordName(uid)));
      (await all()).delete(uid);
    },
    list: () => [...(loaded?.values() ?? [])],
  };
}
