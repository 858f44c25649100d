import type { Cluster } from "../cluster/connect.ts";
import { watchResource } from "../cluster/watch-resource.ts";
import { messageOf } from "../errors.ts";
import type { NamespaceFacts, Resource } from "../model/kubernetes.ts";
import type { ClusterEvent } from "./cluster-facts.ts";

export interface ClusterWatch {
  /** Whether everything has been read once. */
  synced(): boolean;
  stop(): void;
}

const toNamespace = ({ metadata }: Resource): NamespaceFacts => ({
  name: metadata.name ?? "",
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
});

/** Tells of every change of the cluster's namespaces. A broken watch is opened again and catches up by a list. */
export function watchCluster(
  cluster: Cluster,
  onEvent: (event: ClusterEvent) => void,
  onFailure: (message: string) => void,
): ClusterWatch {
  let synced = false;
  const namespaces = watchResource({
    cluster,
    path: "/api/v1/namespaces",
    onChange(before, now) {
      const name = (now ?? before)?.metadata.name ?? "";
      onEvent({ type: "namespace", name, facts: now === null ? null : toNamespace(now) });
    },
    onFailure: (thrown) => {
      onFailure(messageOf(thrown));
    },
  });
  namespaces.synced.then(
    () => (synced = true),
    () => undefined,
  );
  return {
    synced: () => synced,
    stop: () => {
      namespaces.stop();
    },
  };
}
