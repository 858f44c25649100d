import type { Reasons } from "./losses.ts";

/** Why values of an imported cluster differ when it is exported again. */
const MANAGED = "the provider runs the control plane of a KaasCluster";

export const CONTROL_PLANE_REASONS: Reasons = [[/./, MANAGED]];

export const CLUSTER_REASONS: Reasons = [
  [/^spec\.kubernetesVersion/, "the provider chooses the patch version"],
  [/^spec\.configBase/, "an export takes --state"],
  [/^spec\.(gossipConfig|dnsControllerGossipConfig)/, "kOps 1.37 has no gossip DNS any more"],
  [
    /^spec\.topology\.dns/,
    "kOps 1.37 has no gossip DNS any more, so a cluster of k8s.local has none; an export takes --dns",
  ],
  [/^spec\.dnsZone/, "an export takes --dns-zone and --dns"],
  [/^spec\.kubernetesApiAccess/, "an export takes --admin-access"],
  [/^spec\.sshAccess/, "an export takes --ssh-access"],
  [
    /^spec\.api\b/,
    "the API server of a KaasCluster has an endpoint, public or private, and an export a load balancer for it",
  ],
  [
    /^spec\.cloudLabels/,
    "the keys of a KaasCluster's tags have small letters, digits, _ and -, and its values 63 characters",
  ],
  [/^spec\.(networkID|additionalNetworkCIDRs)/, "a KaasCluster makes a network of its own"],
  [
    /^spec\.networkCIDR/,
    "a KaasCluster makes a network of its own, on AWS with a prefix of /16 or longer; an export writes its default if the object names none",
  ],
  [/^spec\.subnets/, "subnets follow from the nodes' network, the zones and the endpoint; nodes are in no local zones"],
  [/^spec\.serviceClusterIPRange/, "a KaasCluster has an IPv4 range of services outside the nodes' network"],
  [/^spec\.(networking|nonMasqueradeCIDR|podCIDR)/, "the provider chooses how pods are connected"],
  [
    /^spec\.(etcdClusters|authorization|authentication|channel|iam|kubelet|master|kube|cloudConfig|cloudControllerManager)/,
    MANAGED,
  ],
];

export const GROUP_REASONS: Reasons = [
  [/^metadata\.(name|labels)/, "names follow from pools and places"],
  [/^spec\.image/, "the provider chooses the image of nodes; an export takes --image"],
  [/^spec\.subnets/, "every pool is in all zones of the cluster"],
  [/^spec\.machineType/, "a pool has one type that is known, and Karpenter or AWS chooses among many"],
  [/^spec\.manager/, "a pool is a group of equal nodes, which Karpenter does not manage"],
  [/^spec\.(minSize|maxSize|autoscale)/, "a pool has a number of nodes, or a range for an autoscaler"],
  [/^spec\.rootVolumeSize/, "the disk of a node has 32 to 2048 GiB"],
  [/^spec\.rootVolume/, "the chart chooses all but the size of the disk"],
  [/^spec\.taints/, "a pool has each taint once and at most 20, each with an effect that Kubernetes has"],
  [
    /^spec\.nodeLabels/,
    "a pool has at most 30 labels, in the form of Kubernetes; on AWS each has a value, and none is EKS' own",
  ],
  [/^spec\.mixedInstancesPolicy/, "a pool has one type"],
];
