import { addressRange } from "./address-range.ts";
import type { ClusterForm } from "./inferred.ts";
import { BILLING_WORDS, LABELS } from "./inferred.ts";
import type { ClusterRequest, NodePool } from "./types.ts";

const notePool = (pool: NodePool, billing: ClusterRequest["billing"]): Record<string, unknown> => ({
  pool_name: pool.name,
  autoscale: pool.autoscale,
  desired_nodes: pool.desiredNodes,
  min_nodes: pool.minNodes,
  max_nodes: pool.maxNodes,
  shared_storage_gb: pool.sharedStorageGB,
  specs: { cpu: pool.cpu, ram: pool.memoryMiB, storage: pool.storageGB, gpu: pool.gpu },
  billing: BILLING_WORDS[pool.billing ?? billing],
});

function noteForm(request: ClusterRequest): Record<string, unknown> {
  const { first, last } = addressRange(request.network.cidr, "createCluster");
  return {
    name: request.name,
    [LABELS.cluster]: request.labels,
    nodepool: request.nodePools.map((pool) => notePool(pool, request.billing)),
    nodes_subnet: {
      dhcp: request.network.dhcp ? "True" : "False",
      subnet_netmask: request.network.cidr,
      start_address: request.network.startAddress ?? first,
      last_address: request.network.lastAddress ?? last,
    },
    update_policy: request.updatePolicy,
    kubernetes_version: request.kubernetesVersion,
    controlplane_ha: request.controlPlaneHA,
  };
}

const intentPool = (pool: NodePool): Record<string, unknown> => ({
  pool_name: pool.name,
  autoscale: pool.autoscale,
  min_nodes: pool.minNodes,
  max_nodes: pool.maxNodes,
  shared_storage_gb: pool.sharedStorageGB,
  specs: { cpu_cores: pool.cpu, ram_gb: pool.memoryMiB / 1024, storage_gb: pool.storageGB, gpu: pool.gpu },
});

const intentForm = (request: ClusterRequest): Record<string, unknown> => ({
  name: request.name,
  [LABELS.cluster]: request.labels,
  nodepools: request.nodePools.map(intentPool),
  nodes_subnet: { dhcp: request.network.dhcp, network: request.network.cidr },
  update_policy: request.updatePolicy,
  kubernetes_version: request.kubernetesVersion,
  controlplane_ha: request.controlPlaneHA,
  billing_frequency: request.billing,
  region: request.place.region,
});

/** A cluster's request in one of its two published forms: memory in MB, or in GB. */
export const clusterRequest = (request: ClusterRequest, form: ClusterForm): Record<string, unknown> => ({
  req: form === "note" ? noteForm(request) : intentForm(request),
  provider: request.place.provider,
});
