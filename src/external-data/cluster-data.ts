import type { ExistingWorkload, RelatedWorkloads } from "../model/cluster-data.ts";
import type { KubernetesObject, NamespaceData } from "../model/kubernetes.ts";
import type { Workload } from "../model/workload.ts";
import { readWorkload } from "./read-workload.ts";
import { createReservations } from "./reservations.ts";

/** One change of what is known of the cluster, small enough to be sent to another thread. Null: it is gone. */
export type ClusterEvent =
  | { type: "namespace"; name: string; data: NamespaceData | null }
  | { type: "workload"; key: string; workload: ExistingWorkload | null }
  /** Admitted a moment ago and not seen yet; counts until it is seen, or until `until` (seconds since 1970). */
  | { type: "reservation"; key: string; workload: ExistingWorkload; until: number }
  /** Everything was as told at this time (seconds since 1970). */
  | { type: "seen"; at: number };

/** What is known of the cluster, as far as decisions need it. */
export interface ClusterData {
  apply(event: ClusterEvent): void;
  /** What is known of a namespace; no labels and annotations where it is not known (yet). */
  namespace(name: string): NamespaceData;
  /** What the other objects come to; null where the cluster has not been read yet. */
  around(asked: { key: string; namespace: string; vmName: string | null }, nowSeconds: number): RelatedWorkloads | null;
  /** Every object that counts at `now`, reservations included, without the one of this key. */
  workloads(nowSeconds: number, except: string): ExistingWorkload[];
  /** The events that would tell another one all of this. */
  snapshot(): ClusterEvent[];
}

/** A name that many machines share is told as well by a few of them. */
const NAMED = 5;

export const bareNamespace = (name: string): NamespaceData => ({ name, labels: {}, annotations: {} });

/** What decisions need of a Namespace object. */
export const namespaceOf = ({
  metadata: { name = "", labels = {}, annotations = {} },
}: KubernetesObject): NamespaceData => ({
  name,
  labels,
  annotations,
});

/** The key of an object. */
export const workloadKey = (kind: string, namespace: string, name: string): string => `${kind}/${namespace}/${name}`;

/** The same of an object as it was read. */
export const keyOfWorkload = ({ kind, metadata: { namespace = "default", name = "" } }: KubernetesObject): string =>
  workloadKey(kind, namespace, name);

/** Data of a cluster that has not been read yet. */
export function createClusterData(): ClusterData {
  const namespaces = new Map<string, NamespaceData>();
  const reservations = createReservations();
  let asOf: number | null = null;

  function around(
    asked: { key: string; namespace: string; vmName: string | null },
    nowSeconds: number,
  ): RelatedWorkloads | null {
    if (asOf === null) return null;
    const usage = reservations.usage(asked.namespace, asked.key, nowSeconds);
    const sameVmName = asked.vmName === null ? [] : reservations.named(asked.vmName, nowSeconds);
    return {
      usage,
      vmName: asked.vmName,
      sameVmName: sameVmName
        .filter(([key]) => key !== asked.key)
        .slice(0, NAMED)
        .map(([, { namespace, name }]) => ({ namespace, name })),
      asOf,
    };
  }

  return {
    apply(event) {
      if (event.type === "seen") asOf = event.at;
      else if (event.type === "workload") reservations.put(event.key, event.workload);
      else if (event.type === "reservation") reservations.reserve(event.key, event.workload, event.until);
      else if (event.data === null) namespaces.delete(event.name);
      else namespaces.set(event.name, event.data);
    },
    namespace: (name) => namespaces.get(name) ?? bareNamespace(name),
    around,
    workloads: (nowSeconds, except) => reservations.all(nowSeconds, except),
    snapshot: () => [
      ...[...namespaces].map(([name, data]): ClusterEvent => ({ type: "namespace", name, data })),
      ...reservations.snapshot(),
      ...(asOf === null ? [] : [{ type: "seen" as const, at: asOf }]),
    ],
  };
}

/** The data of a cluster that was read once, at `nowSeconds`. */
export function clusterDataOf(
  namespaces: readonly KubernetesObject[],
  workloads: readonly Workload[],
  nowSeconds: number,
): ClusterData {
  const data = createClusterData();
  for (const namespace of namespaces)
    data.apply({ type: "namespace", name: namespace.metadata.name ?? "", data: namespaceOf(namespace) });
  for (const object of workloads)
    data.apply({ type: "workload", key: keyOfWorkload(object), workload: readWorkload(object.kind, object) });
  data.apply({ type: "seen", at: nowSeconds });
  return data;
}
