import type { KubernetesObject } from "../model/kubernetes.ts";
import { readWorkload } from "../model/read-workload.ts";
import type { Workload } from "../model/workload.ts";
import { type ClusterData, type ClusterEvent, createClusterData, keyOfWorkload } from "./cluster-data.ts";
import { namespaceOf } from "./namespace-of.ts";

/** The data of a cluster that was read once, at `nowSeconds`. `events`: what its other objects say. */
export function clusterDataOf(
  namespaces: readonly KubernetesObject[],
  workloads: readonly Workload[],
  nowSeconds: number,
  events: readonly ClusterEvent[] = [],
): ClusterData {
  const data = createClusterData();
  for (const event of events) data.apply(event);
  for (const namespace of namespaces)
    data.apply({ type: "namespace", name: namespace.metadata.name ?? "", data: namespaceOf(namespace) });
  for (const object of workloads)
    data.apply({ type: "workload", key: keyOfWorkload(object), workload: readWorkload(object.kind, object) });
  data.apply({ type: "seen", at: nowSeconds });
  return data;
}
