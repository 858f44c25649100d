import type { ExistingWorkload } from "../../model/cluster-data.ts";

/** No object is larger or costs more. Sums of this stay exact. */
const MOST = 1e9;

/** An amount that sums can hold: never negative, never infinite, never NaN. What cannot be read counts as much as anything can. */
const bounded = (amount: number): number => (Number.isNaN(amount) ? MOST : Math.min(MOST, Math.max(0, amount)));

/** An object whose size and price may be added to others: users can write any number into an object that is being deleted. */
export function boundAmounts(workload: ExistingWorkload): ExistingWorkload {
  const { vcpus, memoryGiB, pricePerHour } = workload;
  return {
    ...workload,
    vcpus: bounded(vcpus),
    memoryGiB: bounded(memoryGiB),
    pricePerHour: pricePerHour === null ? null : bounded(pricePerHour),
  };
}
