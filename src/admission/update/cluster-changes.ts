import type { Provider } from "../../model/workload.ts";

/** What a managed service changes on a cluster that runs, as its operator's CRDs and controllers have it. */
export interface ClusterAbility {
  /** Anything at all; else why not. */
  fixed: string | null;
  /** Fields of a pool that stay as they were made. */
  fixedPoolFields: readonly string[];
  /** Fields of the cluster that stay as they were made. */
  fixedFields: readonly string[];
  /** The first pool carries the service itself, so it stays the first. */
  keepsFirstPool: boolean;
}

const NETWORK = ["highAvailability", "network", "zones"] as const;

export const CLUSTER_CHANGES: Readonly<Record<Provider, ClusterAbility>> = {
  azure: {
    fixed: null,
    fixedPoolFields: ["diskGiB"],
    fixedFields: [...NETWORK, "endpoint"],
    keepsFirstPool: true,
  },
  aws: { fixed: null, fixedPoolFields: ["diskGiB"], fixedFields: NETWORK, keepsFirstPool: false },
  gcp: {
    fixed: null,
    fixedPoolFields: ["diskGiB", "labels"],
    fixedFields: [...NETWORK, "endpoint"],
    keepsFirstPool: false,
  },
  elemento: {
    fixed: "Elemento has no call that changes a cluster",
    fixedPoolFields: [],
    fixedFields: [],
    keepsFirstPool: false,
  },
};
