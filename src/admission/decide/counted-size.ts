import type { Placement } from "../../model/decision.ts";
import type { Candidate } from "../../model/policy.ts";
import type { PoolRequest, WorkloadRequest } from "../../model/workload.ts";
import type { DecisionRequest } from "../types.ts";

type Amounts = Record<"vcpus" | "memoryGiB", number>;
type PoolSize = Amounts & { price: number };

/** A pool at its largest, with the nodes that its type gives it. */
function poolSize(
  { most, cpu, memoryGiB }: PoolRequest,
  type: NonNullable<Candidate["cluster"]>["pools"][number] | undefined,
): PoolSize {
  return {
    vcpus: most * Math.max(cpu, type?.vcpus ?? 0),
    memoryGiB: most * Math.max(memoryGiB, type?.memoryGiB ?? 0),
    price: most * (type?.pricePerHour ?? 0),
  };
}

/** A cluster with its pools at their largest. */
function sizeOfPools(
  { cluster: asked, total }: WorkloadRequest,
  { cluster: offer, pricePerHour }: Candidate,
): Pick<Placement, "size"> {
  const sizes = (asked?.pools ?? []).map((pool, index) => poolSize(pool, offer?.pools[index]));
  const sum = (field: keyof PoolSize): number => sizes.reduce((all, size) => all + size[field], 0);
  const [vcpus, memoryGiB, price] = [sum("vcpus"), sum("memoryGiB"), Math.round(sum("price") * 1e6) / 1e6];
  const dearer = pricePerHour !== null && price > pricePerHour;
  if (vcpus <= total.vcpus && memoryGiB <= total.memoryGiB && !dearer) return {};
  return { size: { vcpus, memoryGiB, ...(dearer ? { pricePerHour: price } : {}) } };
}

/** A machine with its type, which can have more than the object asks for. One that keeps its type counts no less than before. */
function sizeOfMachine(
  { installed }: DecisionRequest,
  { total }: WorkloadRequest,
  { instanceType, vcpus, memoryGiB }: Candidate,
): Pick<Placement, "size"> {
  const kept = installed?.instanceType === instanceType ? installed : null;
  const size = {
    vcpus: Math.max(total.vcpus, vcpus, kept?.vcpus ?? 0),
    memoryGiB: Math.max(total.memoryGiB, memoryGiB, kept?.memoryGiB ?? 0),
  };
  return size.vcpus > total.vcpus || size.memoryGiB > total.memoryGiB ? { size } : {};
}

/**
 * The size with which a candidate counts in quotas, budgets and records, if that is more than the object asks for: that of the machine types
 * that run. data.landfall.quota compares the same sizes.
 */
export const largerThanAsked = (
  request: DecisionRequest,
  workload: WorkloadRequest,
  candidate: Candidate,
): Pick<Placement, "size"> =>
  request.kind === "VmTemplate" ? sizeOfMachine(request, workload, candidate) : sizeOfPools(workload, candidate);

/** The candidate with what budgets check: never less than what they count once it is chosen. */
export function atMost(request: DecisionRequest, workload: WorkloadRequest, candidate: Candidate): Candidate {
  const mostVcpus = countedVcpus(request, workload, candidate);
  return mostVcpus > candidate.vcpus ? { ...candidate, mostVcpus } : candidate;
}

/** The vCPU that the object counts in quotas and budgets if this candidate is chosen. */
export const countedVcpus = (request: DecisionRequest, workload: WorkloadRequest, candidate: Candidate): number =>
  Math.max(workload.total.vcpus, largerThanAsked(request, workload, candidate).size?.vcpus ?? 0);
