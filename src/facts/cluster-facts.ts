import type { NamespaceFacts } from "../model/kubernetes.ts";

/** One change of what is known of the cluster, small enough to be sent to another thread. `facts` null: it is gone. */
export type ClusterEvent = { type: "namespace"; name: string; facts: NamespaceFacts | null };

/** What is known of the cluster, as far as decisions need it. */
export interface ClusterFacts {
  apply(event: ClusterEvent): void;
  /** What is known of a namespace; bare facts where it is not known (yet). */
  namespace(name: string): NamespaceFacts;
  /** The events that would tell another one all of this. */
  snapshot(): ClusterEvent[];
}

export const bareNamespace = (name: string): NamespaceFacts => ({ name, labels: {}, annotations: {} });

/** Facts that know nothing yet. */
export function createClusterFacts(): ClusterFacts {
  const namespaces = new Map<string, NamespaceFacts>();
  return {
    apply({ name, facts }) {
      if (facts === null) namespaces.delete(name);
      else namespaces.set(name, facts);
    },
    namespace: (name) => namespaces.get(name) ?? bareNamespace(name),
    snapshot: () => [...namespaces.entries()].map(([name, facts]) => ({ type: "namespace", name, facts })),
  };
}
