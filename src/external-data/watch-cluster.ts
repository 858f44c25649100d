import { apiPath } from "../cluster/api-path.ts";
import { ApiError } from "../cluster/client/api-error.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { createGroupInformer } from "../cluster/create-group-informer.ts";
import { createInformer } from "../cluster/create-informer.ts";
import { discover } from "../cluster/discover.ts";
import { messageOf } from "../errors.ts";
import type { KubernetesObject, NamespaceData, Resource } from "../model/kubernetes.ts";
import { COMPOSITION_GROUP, isKind } from "../model/names.ts";
import { runOf } from "../model/runs/run-of.ts";
import type { KeyRing } from "../model/decision-annotation/key-ring.ts";
import { boundEvent, boundNamespace } from "./bound-event.ts";
import { type ClusterEvent, workloadKey } from "./cluster-data.ts";
import { namespaceOf } from "./namespace-of.ts";
import { watchDecisions } from "./watch-decisions.ts";
import { readDecided } from "./read-decided.ts";

/** Interval of discovering new kinds and of confirming the data, in ms. */
const LOOK_MS = 5000;
/** Interval of reading lists again even if their watch works, in seconds. */
const RELIST_SECONDS = 300;

export interface ClusterWatch {
  /** Whether everything has been read once. */
  hasSynced(): boolean;
  /** Reads a namespace now; null if there is none. Rejects with REL_API…. */
  readNamespace(name: string, signal: AbortSignal): Promise<NamespaceData | null>;
  stop(): void;
}

export interface ClusterWatchOptions {
  client: KubeClient;
  /** Landfall's own namespace; null to read nothing there. */
  systemNamespace: string | null;
  /** Every event has a known largest size, whatever users store. */
  onEvent: (event: ClusterEvent) => void;
  onFailure: (message: string) => void;
  /** Verify what decisions say. */
  keys: () => KeyRing;
  /** Seconds since 1970. */
  nowSeconds: () => number;
}

/**
 * Why the API server cannot read its storage now; null if it can. Without etcd it keeps watches open and calls webhooks, but stores nothing.
 * Any answer about the object is one of the storage.
 */
async function storageProblem(client: KubeClient): Promise<unknown> {
  try {
    await client.get(apiPath`/api/v1/namespaces/kube-system`, { signal: AbortSignal.timeout(LOOK_MS) });
    return null;
  } catch (thrown) {
    return thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500 && thrown.status !== 429
      ? null
      : thrown;
  }
}

/** All that is kept of an object itself: its event says what decisions need of it. */
function namesOf({ apiVersion, kind, metadata }: Resource): Resource {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
}

/**
 * Reports every change of the cluster's namespaces and of the objects that Landfall decides. A watch may miss changes:
 * each is followed by a list at intervals, and a failed one is reopened with a list.
 */
export function watchCluster(options: ClusterWatchOptions): ClusterWatch {
  const { client, nowSeconds } = options;
  const onEvent = (event: ClusterEvent): void => {
    options.onEvent(boundEvent(event));
  };
  const onFailure = (thrown: unknown): void => {
    options.onFailure(messageOf(thrown));
  };
  const namespaces = createInformer({
    ...{ client, path: apiPath`/api/v1/namespaces`, relistSeconds: RELIST_SECONDS, onFailure, keep: namesOf },
    onChange(before, present) {
      const name = (present ?? before)?.metadata.name ?? "";
      onEvent({ type: "namespace", name, data: present && namespaceOf(present) });
    },
  });
  const workloads = createGroupInformer({
    ...{ client, discovery: discover(client), group: COMPOSITION_GROUP, relistSeconds: RELIST_SECONDS },
    selects: ({ kind }) => isKind(kind),
    keep: namesOf,
    // If a group is temporarily not served, its objects must not count as deleted.
    keepUnserved: true,
    onChange({ resource: { kind } }, before, present) {
      if (!isKind(kind)) return;
      const { namespace = "", name = "" } = (present ?? before)?.metadata ?? {};
      onEvent({
        type: "workload",
        key: workloadKey(kind, namespace, name),
        ...(present === null
          ? { workload: null }
          : {
              ...readDecided(options.keys(), kind, present),
              of: { uid: present.metadata.uid ?? "", run: runOf(present) },
            }),
      });
    },
    onFailure: (_path, thrown) => {
      onFailure(thrown);
    },
  });
  const decisions =
    options.systemNamespace === null
      ? null
      : watchDecisions({
          client,
          systemNamespace: options.systemNamespace,
          relistSeconds: RELIST_SECONDS,
          onEvent,
          onFailure,
        });
  let [discovered, wasSynced, wasAway] = [false, false, false];

  const isCurrent = (): boolean =>
    discovered &&
    [
      namespaces,
      ...workloads.kinds().map(({ informer }) => informer),
      ...(decisions === null ? [] : [decisions]),
    ].every((one) => one.isCurrent());

  function reportSeen(): void {
    if (!isCurrent()) return;
    wasSynced = true;
    onEvent({ type: "seen", at: nowSeconds(), wasAway });
    wasAway = false;
  }

  async function tick(): Promise<void> {
    await workloads.refresh().then(() => (discovered = true), onFailure);
    const problem = await storageProblem(client);
    if (problem === null) {
      reportSeen();
      return;
    }
    wasAway = true;
    onFailure(problem);
  }

  // Frequent at first, because readiness depends on it.
  const early = setInterval(() => {
    if (wasSynced) clearInterval(early);
    else reportSeen();
  }, 50);
  const timer = setInterval(() => void tick(), LOOK_MS);
  void tick();
  return {
    hasSynced: () => wasSynced,
    readNamespace: async (name, signal) => {
      const found = await client.get<KubernetesObject>(apiPath`/api/v1/namespaces/${name}`, { signal });
      return found && boundNamespace(namespaceOf(found));
    },
    stop: () => {
      clearInterval(early);
      clearInterval(timer);
      namespaces.stop();
      workloads.stop();
      decisions?.stop();
    },
  };
}
