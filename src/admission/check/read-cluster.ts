import { isObject } from "../../model/json.ts";
import type { ClusterRequest, PoolRequest } from "../../model/workload.ts";

type Fields = Record<string, unknown>;

const integer = (fields: Fields, key: string, otherwise: number): number =>
  typeof fields[key] === "number" ? fields[key] : otherwise;

/** The pools of a cluster's spec as they are written; empty where there are none. */
export const poolsOf = (spec: Fields): Fields[] =>
  Array.isArray(spec["nodePools"]) ? spec["nodePools"].filter(isObject) : [];

/** Fewest and most nodes of a pool. */
export function poolLimits(pool: Fields): { least: number; most: number } {
  if (typeof pool["max"] === "number") return { least: integer(pool, "min", 0), most: pool["max"] };
  const count = integer(pool, "count", 1);
  return { least: count, most: count };
}

function readPool(pool: Fields, types: Fields): PoolRequest {
  const { least, most } = poolLimits(pool);
  const name = String(pool["name"]);
  const type = types[name];
  return {
    name,
    cpu: integer(pool, "cpu", 1),
    memoryGiB: integer(pool, "memory", 1),
    gpu: integer(pool, "gpu", 0),
    least,
    most,
    nodes: (least + most) / 2,
    instanceType: typeof type === "string" ? type : null,
  };
}

/** The questions that only a cluster asks, from a spec that has passed `checkObject`. */
export function readCluster(spec: Fields): ClusterRequest {
  const types = isObject(spec["poolInstanceTypes"]) ? spec["poolInstanceTypes"] : {};
  const { kubernetesVersion, zones } = spec;
  return {
    pools: poolsOf(spec).map((pool) => readPool(pool, types)),
    kubernetesVersion: typeof kubernetesVersion === "string" ? kubernetesVersion : null,
    highAvailability: spec["highAvailability"] === true,
    zones: Array.isArray(zones) ? zones.map(String) : null,
  };
}
