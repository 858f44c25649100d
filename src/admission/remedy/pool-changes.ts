import type { Decision } from "../../model/decision.ts";
import { bisect, type Change, type Fields } from "./change.ts";
import { poolsOf } from "../check/read-request.ts";

type PoolField = "cpu" | "memory" | "gpu";

/** A lower value of one field of a pool: the largest one that passes. */
function lessOfPool(pools: readonly Fields[], index: number, field: PoolField): Change | null {
  const pool = pools[index];
  const wanted = pool?.[field];
  const least = field === "gpu" ? 0 : 1;
  if (pool === undefined || typeof wanted !== "number" || wanted <= least) return null;
  const withValue = (value: number): Fields => ({
    nodePools: pools.map((one, at) => (at === index ? { ...one, [field]: value } : one)),
  });
  const text = (value: number): string => `${field} of pool ${String(pool["name"])} ≤ ${String(value)}`;
  return {
    loosest: { fields: withValue(least), text: text(least) },
    smallest: (ask) => {
      if (ask(withValue(least))?.allowed !== true) return null;
      const value = bisect(least, wanted, (middle) => ask(withValue(middle)));
      return { fields: withValue(value), text: text(value), cost: Math.log((wanted + 1) / (value + 1)) };
    },
  };
}

/** Denials that smaller nodes can fix; a search through every pool is too expensive for others. */
const MENDED_BY_SIZE = new Set(["PLACEMENT_NONE", "POL_FLAVOUR", "POL_GPU", "POL_INSTANCE_TYPE", "POL_QUOTA"]);

/** With more pools, each change of one is too small to help, and the search has no time for them all. */
const MOST_POOLS = 16;

/** Changes of the pools of a denied cluster: the largest nodes that pass. */
export function poolChanges(spec: Fields, denied: Decision): Change[] {
  if (!denied.denials.some(({ code }) => MENDED_BY_SIZE.has(code))) return [];
  const pools = poolsOf(spec);
  if (pools.length > MOST_POOLS) return [];
  const fields: readonly PoolField[] = ["memory", "cpu", "gpu"];
  return pools
    .flatMap((_pool, index) => fields.map((field) => lessOfPool(pools, index, field)))
    .filter((change) => change !== null);
}
