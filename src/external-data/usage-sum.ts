import type { ExistingWorkload, Usage } from "../model/cluster-data.ts";

const HOURS_PER_MONTH = 730;
/** Sums are kept in whole billionths: what was added and taken away again leaves nothing behind. */
const UNITS = 1e9;

const inUnits = ({ vcpus, memoryGiB, pricePerHour }: ExistingWorkload): number[] =>
  [1, vcpus, memoryGiB, pricePerHour ?? 0].map((amount) => Math.round(amount * UNITS));

/** What the objects of a namespace come to, kept up to date as they come and go. */
export class UsageSum {
  readonly #sums = [0, 0, 0, 0];

  add(workload: ExistingWorkload): void {
    this.#change(workload, 1);
  }

  subtract(workload: ExistingWorkload): void {
    this.#change(workload, -1);
  }

  get empty(): boolean {
    return this.#sums[0] === 0;
  }

  /** The sums, without one of the objects that were added. */
  usage(except?: ExistingWorkload): Usage {
    const left = except === undefined ? [0, 0, 0, 0] : inUnits(except);
    const [objects = 0, vcpus = 0, memoryGiB = 0, perHour = 0] = this.#sums.map(
      (sum, index) => (sum - (left[index] ?? 0)) / UNITS,
    );
    return { objects, vcpus, memoryGiB, pricePerMonth: perHour * HOURS_PER_MONTH };
  }

  #change(workload: ExistingWorkload, sign: 1 | -1): void {
    for (const [index, amount] of inUnits(workload).entries())
      this.#sums[index] = (this.#sums[index] ?? 0) + sign * amount;
  }
}
