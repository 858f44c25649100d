import { hasStatus } from "../../src/cluster/client/api-error.ts";
import { apiPath, below } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { createOnce } from "../../src/cluster/create-once.ts";
import { PART_OF_LANDFALL, REPLICAS_CONFIGMAP } from "../../src/model/names.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { readReport, type ReplicaReport } from "../../src/model/replica-report.ts";
import { textOf } from "../../src/model/json.ts";

export type OwnReport = Omit<ReplicaReport, "at">;

/** The reports of all replicas. */
export interface ReplicaReports {
  /**
   * Writes the own report if it changed or is old, and returns all by the replicas' names, with why the own one could not be written. Throws
   * REL_API… if they cannot be read.
   */
  exchange(own: OwnReport): Promise<{ reports: ReadonlyMap<string, ReplicaReport>; failure: unknown }>;
  /** Removes the own report: this replica serves no more. */
  remove(): Promise<void>;
}

export interface ReportOptions {
  client: KubeClient;
  namespace: string;
  /** The name of this replica: that of its Pod. */
  replica: string;
  /** Ms since 1970, for people. */
  nowMs: () => number;
  /** Ms of a clock that is never set. */
  elapsedMs: () => number;
  /** A replica whose report does not change for so many ms is gone. */
  goneMs?: number;
}

/** A report is written again after so many ms. */
const RENEW_MS = 20_000;
/** Kubernetes gives up Pods of a lost node after five minutes, too. */
const GONE_MS = 300_000;

/**
 * Reports in a ConfigMap, one entry for each replica, which only that replica changes. Whether another is alive is judged by changes
 * of its entry, so the clocks of two machines are never compared.
 */
export function openReplicaReports(options: ReportOptions): ReplicaReports {
  const { client, namespace, replica, nowMs, elapsedMs, goneMs = GONE_MS } = options;
  const collection = apiPath`/api/v1/namespaces/${namespace}/configmaps`;
  const path = below(collection, REPLICAS_CONFIGMAP);
  let written = { text: "", at: -Infinity };
  /** Of the other replicas: their reports, and since when they are so. */
  let seen = new Map<string, { text: string; since: number }>();
  /** The uid of the ConfigMap that they were in. */
  let uid: string | undefined;
  /** Those that went with a ConfigMap that someone deleted. A replica that is cut off cannot write its own again, and its CA is needed for as long as before. */
  const lost = new Map<string, string>();

  async function write(text: string, exists: boolean): Promise<void> {
    const metadata = { name: REPLICAS_CONFIGMAP, namespace, labels: PART_OF_LANDFALL };
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { [replica]: text } };
    if (exists || !(await createOnce(client, collection, configMap)))
      await client.patch(path, "merge", { data: { [replica]: text } });
  }

  function isGone(name: string, text: string): boolean {
    const before = seen.get(name);
    return before !== undefined && before.text === text && elapsedMs() - before.since >= goneMs;
  }

  /** The reports of others, with those that were lost. */
  function othersIn(present: Resource | null): (readonly [string, string])[] {
    const data = present?.data ?? {};
    if (present?.metadata.uid !== uid) for (const [name, { text }] of seen) lost.set(name, text);
    uid = present?.metadata.uid;
    for (const [name, text] of lost) if (name in data || isGone(name, text)) lost.delete(name);
    const stored = Object.entries(data).map(([name, text]) => [name, textOf(text)] as const);
    return [...stored, ...lost].filter(([name]) => name !== replica);
  }

  /** Writes entries of others, null to remove one, unless anything changes at the same time. */
  async function writeOthers(data: Record<string, string | null>, resourceVersion: string | undefined): Promise<void> {
    if (Object.keys(data).length === 0 || resourceVersion === undefined) return;
    try {
      await client.patch(path, "merge", { metadata: { resourceVersion }, data });
    } catch (thrown) {
      if (!hasStatus(thrown, 409)) throw thrown;
    }
  }

  return {
    async exchange(own) {
      const present = await client.get<Resource>(path);
      const others = othersIn(present);
      const gone = others.filter(([name, text]) => isGone(name, text)).map(([name]) => name);
      const changes = { ...Object.fromEntries(lost), ...Object.fromEntries(gone.map((name) => [name, null])) };
      await writeOthers(changes, present?.metadata.resourceVersion);
      seen = new Map(
        others.map(([name, text]) => {
          const before = seen.get(name);
          return [name, before?.text === text ? before : { text, since: elapsedMs() }];
        }),
      );
      const text = JSON.stringify(own);
      const isStored = present?.data?.[replica] !== undefined;
      let failure: unknown = null;
      if (!isStored || written.text !== text || elapsedMs() - written.at >= RENEW_MS)
        try {
          const at = new Date(nowMs()).toISOString();
          await write(JSON.stringify({ ...own, at }), present !== null);
          written = { text, at: elapsedMs() };
        } catch (thrown) {
          failure = thrown;
        }
      const reports = others
        .filter(([name]) => !gone.includes(name))
        .map(([name, one]) => [name, readReport(one)] as const);
      return { reports: new Map([...reports, [replica, { ...own, at: "" }]]), failure };
    },
    async remove() {
      if (written.text === "") return;
      await client.patch(path, "merge", { data: { [replica]: null } }).catch((thrown: unknown) => {
        if (!hasStatus(thrown, 404)) throw thrown;
      });
    },
  };
}
