import type { WorkloadRequest } from "../../model/workload.ts";
import type { DecisionRequest } from "../types.ts";

/** The parts of a request that an earlier decision gave it: the size that runs, its type, and the types of which its provider has none. */
function earlierOf({ instead, installed, resizesFrom }: DecisionRequest): Partial<WorkloadRequest> {
  const running = installed && { vcpus: installed.vcpus, memoryGiB: installed.memoryGiB };
  return {
    ...(running === undefined ? {} : { running }),
    ...(instead === undefined ? {} : { instead }),
    ...(resizesFrom === undefined ? {} : { installedType: resizesFrom }),
  };
}

/** The pools that are there, with the types of their nodes. */
function withInstalledPools(workload: WorkloadRequest, { installedPools }: DecisionRequest): WorkloadRequest {
  if (workload.cluster === undefined || installedPools === undefined) return workload;
  const pools = workload.cluster.pools.map((pool) => {
    const installedType = installedPools[pool.name];
    return installedType === undefined ? pool : { ...pool, installedType };
  });
  return { ...workload, cluster: { ...workload.cluster, pools } };
}

/** The request of an object, with the parts that an earlier decision gave it, and its installed pools. */
export const withInstalled = (workload: WorkloadRequest, request: DecisionRequest): WorkloadRequest =>
  withInstalledPools({ ...workload, ...earlierOf(request) }, request);
