import type { KubeClient } from "../cluster/create-client.ts";
import { createInformer, type Informer } from "../cluster/create-informer.ts";
import { secretsPath } from "../cluster/secrets-path.ts";
import { LANDFALL_SECRETS, readBinding, readReleaseMark } from "../model/decision-annotation/system-secrets.ts";
import type { Resource } from "../model/kubernetes.ts";
import { readRetained } from "../model/retained.ts";
import { readRunRecord, type RunRecord } from "../model/run-record.ts";
import { type ClusterEvent, retainedEvent, workloadKey } from "./cluster-data.ts";
import type { DecisionEvent } from "./decision-index.ts";

/** What a Secret of Landfall's namespace says of decisions; null for another one. */
export function decisionEventOf(secret: Resource, isGone: boolean): DecisionEvent | null {
  const { name: record = "" } = secret.metadata;
  const binding = readBinding(secret);
  if (binding !== null) return { type: "binding", id: binding.id, uid: isGone ? null : binding.uid };
  const installed = readReleaseMark(secret);
  if (installed === null) return null;
  return { type: "release", record, installed: isGone ? null : installed };
}

function runEvent({ kind, namespace, name, uid, run, end, removedAt }: RunRecord, isGone: boolean): ClusterEvent {
  const recorded = { uid, run, endedAt: end?.at ?? null, removedAt };
  return { type: "run", key: workloadKey(kind, namespace, name), run: isGone ? null : recorded };
}

function eventOf(secret: Resource, isGone: boolean): ClusterEvent | null {
  const run = readRunRecord(secret);
  if (run !== null) return runEvent(run, isGone);
  const retained = readRetained(secret);
  return retained === null ? decisionEventOf(secret, isGone) : retainedEvent(retained, isGone);
}

export interface DecisionWatchOptions {
  client: KubeClient;
  /** Landfall's own: tenants can write nothing there. */
  systemNamespace: string;
  relistSeconds: number;
  onEvent: (event: ClusterEvent) => void;
  onFailure: (thrown: unknown) => void;
}

/**
 * Reports which decisions are bound to which objects, which releases are recorded, and what deleted objects left running. Reads
 * metadata only.
 */
export const watchDecisions = (options: DecisionWatchOptions): Informer =>
  createInformer({
    client: options.client,
    path: secretsPath(options.systemNamespace),
    selects: { labels: LANDFALL_SECRETS, metadataOnly: true },
    relistSeconds: options.relistSeconds,
    onFailure: options.onFailure,
    // Only what is read is kept.
    transform: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
    onChange(before, present) {
      const object = present ?? before;
      const event = object === null ? null : eventOf(object, present === null);
      if (event !== null) options.onEvent(event);
    },
  });
