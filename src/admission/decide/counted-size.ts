import type { Placement } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import type { Candidate } from "../../model/policy.ts";
import type { PoolRequest, WorkloadRequest } from "../../model/workload.ts";
import type { DecisionRequest } from "../types.ts";

type PoolSize = Record<"vcpus" | "memoryGiB" | "price", number>;

/** A pool at its largest. With `counts`, it counts with its type, which can have more than the pool asks for. */
function poolSize(
  { most, cpu, memoryGiB }: PoolRequest,
  type: NonNullable<Candidate["cluster"]>["pools"][number] | undefined,
  counts: boolean,
): PoolSize {
  const [ofType, ofMemory] = counts ? [type?.vcpus ?? 0, type?.memoryGiB ?? 0] : [0, 0];
  return {
    vcpus: most * Math.max(cpu, ofType),
    memoryGiB: most * Math.max(memoryGiB, ofMemory),
    price: most * (type?.pricePerHour ?? 0),
  };
}

/** A cluster with its pools at their largest: those with GPUs and with types that the object names count with their type. */
function sizeOfPools(
  { object }: DecisionRequest,
  { cluster: asked, total }: WorkloadRequest,
  { cluster: offer, pricePerHour }: Candidate,
): Pick<Placement, "size"> {
  const types = object.spec?.["poolInstanceTypes"];
  const named = isObject(types) ? types : {};
  const sizes = (asked?.pools ?? []).map((pool, index) =>
    poolSize(pool, offer?.pools[index], pool.gpu > 0 || named[pool.name] !== undefined),
  );
  const sum = (field: keyof PoolSize): number => sizes.reduce((all, size) => all + size[field], 0);
  const [vcpus, memoryGiB, price] = [sum("vcpus"), sum("memoryGiB"), Math.round(sum("price") * 1e6) / 1e6];
  const dearer = pricePerHour !== null && price > pricePerHour;
  if (vcpus <= total.vcpus && memoryGiB <= total.memoryGiB && !dearer) return {};
  return { size: { vcpus, memoryGiB, ...(dearer ? { pricePerHour: price } : {}) } };
}

type Amounts = Record<"vcpus" | "memoryGiB", number>;

/** The size that counts of an installed machine that keeps its type, whatever its object asks for. */
const sizeOfInstalled = ({ installed }: DecisionRequest, { instanceType }: Candidate): Amounts =>
  installed?.instanceType === instanceType ? installed : { vcpus: 0, memoryGiB: 0 };

/** The size of a machine's type that the object names, or that stays. The policy's own choice is the cheapest that is adequate. */
function sizeOfMachine(
  request: DecisionRequest,
  { total }: WorkloadRequest,
  candidate: Candidate,
): Pick<Placement, "size"> {
  const isNamed = request.object.spec?.["instanceType"] !== undefined;
  const { vcpus, memoryGiB } = isNamed ? candidate : sizeOfInstalled(request, candidate);
  if (vcpus <= total.vcpus && memoryGiB <= total.memoryGiB) return {};
  return { size: isNamed ? { vcpus, memoryGiB } : largest(total, { vcpus, memoryGiB }) };
}

const largest = (one: Amounts, other: Amounts): Amounts => ({
  vcpus: Math.max(one.vcpus, other.vcpus),
  memoryGiB: Math.max(one.memoryGiB, other.memoryGiB),
});

/** The size with which a candidate counts in quotas and budgets, if that is more than the object asks for. */
export const largerThanAsked = (
  request: DecisionRequest,
  workload: WorkloadRequest,
  candidate: Candidate,
): Pick<Placement, "size"> =>
  (request.kind === "VmTemplate" ? sizeOfMachine : sizeOfPools)(request, workload, candidate);

/** The candidate with what budgets check: never less than what they count once it is chosen. */
export function atMost(request: DecisionRequest, workload: WorkloadRequest, candidate: Candidate): Candidate {
  const mostVcpus = countedVcpus(request, workload, candidate);
  return mostVcpus > candidate.vcpus ? { ...candidate, mostVcpus } : candidate;
}

/** The vCPU that the object counts in quotas and budgets if this candidate is chosen. */
export const countedVcpus = (request: DecisionRequest, workload: WorkloadRequest, candidate: Candidate): number =>
  Math.max(workload.total.vcpus, largerThanAsked(request, workload, candidate).size?.vcpus ?? 0);
