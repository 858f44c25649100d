import { isObject } from "../../../../model/json.ts";
import type { WorkloadObject } from "../../../../model/workload.ts";
import { poolLimits, poolsOf } from "../../../check/read-request.ts";

type Fields = Record<string, unknown>;

/** Pods on AWS have addresses of the nodes; of Elemento's clusters only the nodes' network can be chosen. */
function networksOf(provider: string): Fields {
  const services = provider === "elemento" ? {} : { serviceCidr: "172.20.0.0/16" };
  const pods = provider === "azure" || provider === "gcp" ? { podCidr: "10.64.0.0/14" } : {};
  return { nodeCidr: "10.0.0.0/16", ...pods, ...services };
}

function taintsOf({ taints }: Fields): unknown[] {
  const list: unknown[] = Array.isArray(taints) ? taints : [];
  return list.map((taint) => (isObject(taint) ? { value: "", ...taint } : taint));
}

/** The type of the nodes has as many GPUs as it has: the charts only ask whether the pool uses them. */
function renderedPool(pool: Fields): Fields {
  return {
    ...{ diskGiB: 64, labels: {} },
    ...pool,
    taints: taintsOf(pool),
    gpu: Number(pool["gpu"] ?? 0) > 0,
    count: { ...poolLimits(pool), scales: "max" in pool },
  };
}

/**
 * The values of a cluster's fields with those that charts/kaas-cluster takes where the spec has none. Equal values render equal
 * manifests, whether their user spells them out or not. A pool's numbers of nodes are its `count`.
 */
export function renderedCluster({ spec = {} }: WorkloadObject, provider: string): Fields {
  return {
    ...{ highAvailability: false, endpoint: provider === "aws" ? "private" : "public", tags: {} },
    ...spec,
    network: { ...networksOf(provider), ...(isObject(spec["network"]) ? spec["network"] : {}) },
    nodePools: poolsOf(spec).map(renderedPool),
  };
}
