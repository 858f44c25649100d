import { valueAt } from "../managed/read-awaits.ts";
import type { Resource } from "../types.ts";
import { eksVersion } from "./provider/eks-version.ts";
import { stringOf } from "../../model/json.ts";
import { table } from "../../model/table.ts";

/** The places in a kind of cluster's resource of what users need. */
export interface ClusterPaths {
  endpoint: readonly string[];
  /** The version that the provider says runs: a spec has the wanted one as soon as it is written. */
  version: readonly string[] | ((cluster: Resource) => string);
  /** The state that the provider says: it has a cluster as soon as there is one, also if it never finishes or fails. */
  state?: readonly string[] | ((cluster: Resource) => string);
}

/** ASO's annotation of a call that Azure has accepted, as long as it is not answered (`azure_generic_arm_reconciler_instance.go`, `SetPollerResumeToken`). */
const ACCEPTED = "serviceoperator.azure.com/poller-resume-id";

/**
 * The state of a cluster at Azure. ASO reads it before each attempt (`managed_cluster_extensions.go`, `PreReconcileCheck`) and after a success, but not
 * after a failure that it gives up: only the annotation says then that there is a cluster, and it goes with the failure.
 */
function aksState({ metadata: { annotations, deletionTimestamp }, status }: Resource): string {
  const isCreated = annotations?.[ACCEPTED] !== undefined && deletionTimestamp === undefined;
  return stringOf(status?.["provisioningState"]) || (isCreated ? "Creating" : "");
}

/** The paths of a kind of cluster's endpoint and version, with dots; the first that holds a text counts. */
export const CLUSTERS: Readonly<Record<string, ClusterPaths>> = table({
  ManagedCluster: {
    endpoint: ["status.fqdn", "status.privateFQDN"],
    version: ["status.currentKubernetesVersion"],
    state: aksState,
  },
  Cluster: { endpoint: ["status.endpoint"], version: eksVersion, state: ["status.status"] },
  ContainerCluster: { endpoint: ["status.endpoint"], version: ["status.masterVersion"] },
  ElementoKaas: { endpoint: ["status.endpoint"], version: ["status.kubernetesVersion", "status.version"] },
});

/** Kinds of pools that are resources of their own. */
export const POOLS: ReadonlySet<string> = new Set(["ManagedClustersAgentPool", "Nodegroup", "ContainerNodePool"]);

/** The endpoint of this control plane, as its provider says it; null before it made one, and for anything else. */
export const endpointOf = (live: Resource): string | null =>
  (CLUSTERS[live.kind]?.endpoint ?? []).map((path) => valueAt(live, path)).find((value) => typeof value === "string") ??
  null;

/** Whether the provider has made this control plane. */
export const isMadeCluster = (live: Resource): boolean => endpointOf(live) !== null;
