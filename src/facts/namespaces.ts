import type { Cluster } from "../cluster/connect.ts";
import { watchResource } from "../cluster/watch-resource.ts";
import { messageOf } from "../errors.ts";
import type { NamespaceFacts, Resource } from "../model/kubernetes.ts";

export interface NamespaceSource {
  /** What is known of a namespace; bare facts where it is not known (yet). */
  get(name: string): NamespaceFacts;
  /** Whether the first list has been read. */
  synced(): boolean;
  stop(): void;
}

export const bareNamespace = (name: string): NamespaceFacts => ({ name, labels: {}, annotations: {} });

const toFacts = ({ metadata }: Resource): NamespaceFacts => ({
  name: metadata.name ?? "",
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
});

/** Follows the cluster's namespaces. A broken watch is opened again; what was known stays. */
export function watchNamespaces(cluster: Cluster, onError: (message: string) => void): NamespaceSource {
  const known = new Map<string, NamespaceFacts>();
  let synced = false;
  const watch = watchResource({
    cluster,
    path: "/api/v1/namespaces",
    onChange(before, now) {
      if (now !== null) known.set(now.metadata.name ?? "", toFacts(now));
      else if (before !== null) known.delete(before.metadata.name ?? "");
    },
    onFailure: (thrown) => {
      onError(messageOf(thrown));
    },
  });
  void watch.synced.then(
    () => (synced = true),
    () => undefined,
  );
  return {
    get: (name) => known.get(name) ?? bareNamespace(name),
    synced: () => synced,
    stop: () => {
      watch.stop();
    },
  };
}
