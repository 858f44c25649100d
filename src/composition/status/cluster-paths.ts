import { valueAt } from "../managed/read-awaits.ts";
import type { Resource } from "../types.ts";
import { eksVersion } from "./provider/eks-version.ts";
import { table } from "../../model/table.ts";

/** The places in a kind of cluster's resource of what users need. */
export interface ClusterPaths {
  endpoint: readonly string[];
  /** The version that the provider says runs: a spec has the wanted one as soon as it is written. */
  version: readonly string[] | ((cluster: Resource) => string);
}

/** The paths of a kind of cluster's endpoint and version, with dots; the first that holds a text counts. */
export const CLUSTERS: Readonly<Record<string, ClusterPaths>> = table({
  ManagedCluster: { endpoint: ["status.fqdn", "status.privateFQDN"], version: ["status.currentKubernetesVersion"] },
  Cluster: { endpoint: ["status.endpoint"], version: eksVersion },
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
