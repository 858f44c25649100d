/** kOps: the cluster that an InstanceGroup or a credential belongs to. */
export const CLUSTER_LABEL = "kops.k8s.io/cluster";
/** Ours: the pool that an InstanceGroup was made of. */
export const POOL_LABEL = "landfall.dev/pool";
/** kOps: on nodes, their group. */
export const GROUP_LABEL = "kops.k8s.io/instancegroup";
