import {
  type Amounts,
  byProvider,
  largestOf,
  providerOf,
  sumOf,
} from "../../model/decision-annotation/running-sizes.ts";
import type { PoolSize, RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import { HOURS_PER_MONTH, type Usage } from "../../model/cluster-data.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import type { DecisionContext } from "../types.ts";
import type { PolicyInputParts } from "./policy-input.ts";

/** A pool that the change removes or makes smaller: the part of it that is there until its provider has deleted it. */
function leftOfPool([name, pool]: [string, PoolSize], { cluster }: WorkloadRequest): Amounts {
  const kept = cluster?.pools.find((one) => one.name === name)?.most ?? 0;
  const part = pool.nodes === 0 ? 0 : Math.max(0, pool.nodes - kept) / pool.nodes;
  const price = pool.pricePerHour;
  return {
    ...{ vcpus: pool.vcpus * part, memoryGiB: pool.memoryGiB * part },
    pricePerHour: price === null ? null : price * part,
  };
}

/** All pools that the sizes of one cluster have; each size with pools besides has a size with all of them. */
const poolsIn = (sizes: readonly RunningSize[]): [string, PoolSize][] => {
  const all = sizes.flatMap(({ pools = {} }) => Object.entries(pools));
  const largest = new Map<string, PoolSize>();
  for (const [name, pool] of all) if ((largest.get(name)?.vcpus ?? -1) < pool.vcpus) largest.set(name, pool);
  return [...largest];
};

/** The provider at which the object is to run: the one that it asks for, otherwise where it runs most. */
function stayingAt(machines: ReadonlyMap<string, readonly RunningSize[]>, { pin }: WorkloadRequest): string {
  if (pin.provider !== null) return providerOf(pin.provider);
  const vcpus = (provider: string): number => largestOf(machines.get(provider) ?? []).vcpus;
  const [most = ""] = [...machines.keys()].sort((one, other) => vcpus(other) - vcpus(one));
  return most;
}

/** The amounts of what runs that a change leaves to its provider to delete, besides all that the changed object is to run. */
export function leftBehind(recorded: readonly RunningSize[], request: WorkloadRequest): Amounts {
  const machines = byProvider(recorded);
  const staying = stayingAt(machines, request);
  const others = [...machines].filter(([provider]) => provider !== staying).map(([, sizes]) => largestOf(sizes));
  return sumOf([...others, ...poolsIn(machines.get(staying) ?? []).map((pool) => leftOfPool(pool, request))]);
}

const withLeft = (usage: Usage, { vcpus, memoryGiB, pricePerHour }: Amounts, grows: boolean): Usage => ({
  ...usage,
  vcpus: usage.vcpus + vcpus,
  memoryGiB: usage.memoryGiB + memoryGiB,
  // A quota of prices has no exception for what runs.
  pricePerMonth: usage.pricePerMonth + (grows ? (pricePerHour ?? 0) * HOURS_PER_MONTH : 0),
});

/**
 * The input of the policy with what a change leaves behind counted as that of others: pools that it replaces, and machines at other providers. The
 * rest is what runs already.
 */
export function besideLeft<T extends PolicyInputParts & Pick<DecisionContext, "recorded">>(parts: T): T {
  const { recorded = [], relatedWorkloads, request, operation } = parts;
  if (operation !== "UPDATE" || recorded.length === 0 || relatedWorkloads === null) return parts;
  const left = leftBehind(recorded, request);
  if (left.vcpus === 0 && left.memoryGiB === 0) return parts;
  const whole = sumOf([...byProvider(recorded).values()].map(largestOf));
  const staying = (field: "vcpus" | "memoryGiB"): number =>
    Math.max(0, Math.max(whole[field], request.running?.[field] ?? 0) - left[field]);
  const running = { vcpus: staying("vcpus"), memoryGiB: staying("memoryGiB") };
  const grows = request.total.vcpus > running.vcpus || request.total.memoryGiB > running.memoryGiB;
  const usage = withLeft(relatedWorkloads.usage, left, grows);
  return { ...parts, request: { ...request, running }, relatedWorkloads: { ...relatedWorkloads, usage } };
}
