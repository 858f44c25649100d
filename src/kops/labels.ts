/** Set by kOps: the cluster that an InstanceGroup or a credential belongs to. */
export const CLUSTER_LABEL = "kops.k8s.io/cluster";
/** Set by Landfall: the pool from which an InstanceGroup was made. */
export const POOL_LABEL = "landfall.dev/pool";
/** Set by kOps on nodes: the name of their group. */
export const GROUP_LABEL = "kops.k8s.io/instancegroup";
