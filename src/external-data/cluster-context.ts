import type { ExistingWorkload, RelatedWorkloads } from "../model/cluster-data.ts";
import type { NamespaceData } from "../model/kubernetes.ts";
import { COMPOSITION_LABEL, type Kind } from "../model/names.ts";
import type { ObservedBoots } from "../model/places/boot-times.ts";
import { vmNameOf } from "../model/read-workload.ts";
import type { WorkloadObject } from "../model/workload.ts";
import type { ClusterData } from "./cluster-data.ts";

/** The cluster's data for a decision about one object. */
export interface ClusterContext {
  namespace: NamespaceData;
  /** Null if the cluster has not been read yet. */
  relatedWorkloads: RelatedWorkloads | null;
  /** The other objects that count in the places. */
  placed: () => ExistingWorkload[];
  boots: ObservedBoots;
  /** The release that the object takes over, so that it does not count besides it; null for none. */
  takesOver: string | null;
}

/** The same for the webhook, the audit and cases. `key`: of the object among the others. `nowSeconds` since 1970. */
export function clusterContext(
  data: ClusterData,
  { key, kind, object }: { key: string; kind: Kind; object: WorkloadObject },
  nowSeconds: number,
): ClusterContext {
  const { namespace = "default", labels } = object.metadata;
  const release = labels?.[COMPOSITION_LABEL.releaseName];
  let placed: ExistingWorkload[] | undefined;
  return {
    namespace: data.namespace(namespace),
    relatedWorkloads: data.around({ key, namespace, vmName: vmNameOf(kind, object), release }, nowSeconds),
    placed: () => (placed ??= data.workloads(nowSeconds, key, release)),
    boots: data.boots(),
    takesOver: release !== undefined && data.takesOver(key, release) ? release : null,
  };
}
