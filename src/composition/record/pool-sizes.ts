import { largerPrice } from "../../model/decision-annotation/running-sizes.ts";
import { isObject, ownValue, textOf } from "../../model/json.ts";
import { amount, poolNodes } from "../../model/read-workload.ts";
import type { PoolSize, PoolSizes, RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import { ownerIn } from "./release-owner.ts";
import { listedSize } from "./type-sizes.ts";

type Values = Record<string, unknown>;
type Size = Pick<RunningSize, "vcpus" | "memoryGiB" | "pricePerHour">;
type Amount = "vcpus" | "memoryGiB";

const MILLIONTHS = 1e6;
const rounded = (value: number): number => Math.round(value * MILLIONTHS) / MILLIONTHS;

interface Pool {
  name: string;
  nodes: number;
  vcpus: number;
  memoryGiB: number;
}

/** A pool at its largest, with the nodes that its type has, if the catalog knows the type. */
function poolIn(values: Values, pool: Values): Pool {
  const name = typeof pool["name"] === "string" ? pool["name"] : "";
  const types = isObject(values["poolInstanceTypes"]) ? values["poolInstanceTypes"] : {};
  const type = ownValue(types, name);
  const listed = typeof type === "string" ? listedSize(textOf(values["provider"]), type) : null;
  const nodes = poolNodes(pool);
  return {
    ...{ name, nodes },
    vcpus: nodes * Math.max(amount(pool, "cpu"), listed?.vcpus ?? 0),
    memoryGiB: nodes * Math.max(amount(pool, "memory"), listed?.memoryGiB ?? 0),
  };
}

/** The size of each pool of a cluster with these values, as shares of its whole size; null for anything else. */
export function poolSizes(values: Values, whole: Size): PoolSizes | null {
  if (ownerIn(values)?.kind !== "KaasCluster" || !Array.isArray(values["nodePools"])) return null;
  const pools = values["nodePools"].filter(isObject).map((pool) => poolIn(values, pool));
  const sum = (field: Amount): number => pools.reduce((all, pool) => all + pool[field], 0);
  const sums = { vcpus: sum("vcpus"), memoryGiB: sum("memoryGiB") };
  const share = (pool: Pool, field: Amount): number => (sums[field] === 0 ? 0 : pool[field] / sums[field]);
  return Object.fromEntries(
    pools.map((pool): [string, PoolSize] => [
      pool.name,
      {
        nodes: pool.nodes,
        vcpus: rounded(whole.vcpus * share(pool, "vcpus")),
        memoryGiB: rounded(whole.memoryGiB * share(pool, "memoryGiB")),
        pricePerHour: whole.pricePerHour === null ? null : rounded(whole.pricePerHour * share(pool, "vcpus")),
      },
    ]),
  );
}

const larger = (one: PoolSize, other: PoolSize): PoolSize => ({
  nodes: Math.max(one.nodes, other.nodes),
  vcpus: Math.max(one.vcpus, other.vcpus),
  memoryGiB: Math.max(one.memoryGiB, other.memoryGiB),
  pricePerHour: largerPrice(one.pricePerHour, other.pricePerHour),
});

/** The pools of all of these, each at its largest. */
function unitedPools(all: readonly PoolSizes[]): PoolSizes {
  const united = new Map<string, PoolSize>();
  for (const pools of all)
    for (const [name, pool] of Object.entries(pools)) {
      const known = united.get(name);
      united.set(name, known === undefined ? pool : larger(known, pool));
    }
  return Object.fromEntries(united);
}

const NO_POOL: PoolSize = { nodes: 0, vcpus: 0, memoryGiB: 0, pricePerHour: 0 };

/** The size of a cluster with the pools that earlier sizes of it have besides, or have larger; its own size for none. */
export function withPoolsOf<T extends RunningSize>(size: T, others: readonly RunningSize[]): T {
  const own = size.pools;
  if (own === undefined) return size;
  const pools = unitedPools([own, ...others.map((other) => other.pools ?? {})]);
  const added = (field: Amount | "pricePerHour"): number =>
    Object.entries(pools).reduce(
      (sum, [name, pool]) => sum + (pool[field] ?? 0) - ((ownValue(own, name) ?? NO_POOL)[field] ?? 0),
      0,
    );
  return {
    ...size,
    vcpus: rounded(size.vcpus + added("vcpus")),
    memoryGiB: rounded(size.memoryGiB + added("memoryGiB")),
    pricePerHour: size.pricePerHour === null ? null : rounded(size.pricePerHour + added("pricePerHour")),
    pools,
  };
}

/** Whether each of these pools is there, and as large. */
export const havePools = (pools: PoolSizes | undefined, others: PoolSizes | undefined): boolean =>
  Object.entries(pools ?? {}).every(([name, pool]) => {
    const other = ownValue(others ?? {}, name);
    return other !== undefined && pool.vcpus <= other.vcpus && pool.memoryGiB <= other.memoryGiB;
  });
