import type { ExistingWorkload, Usage } from "../model/cluster-data.ts";

const HOURS_PER_MONTH = 730;
/** Sums are integers (billionths), so that adding and removing leaves no rounding error. */
const UNITS = 1e9;

const inUnits = ({ vcpus, memoryGiB, pricePerHour }: ExistingWorkload): number[] =>
  [1, vcpus, memoryGiB, pricePerHour ?? 0].map((amount) => Math.round(amount * UNITS));

/** The usage of a namespace, updated as objects come and go. */
class UsageSum {
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

  /** The sums without one of the objects. */
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

export type Entry = [key: string, workload: ExistingWorkload];

/** Objects by key, with indexes so that a decision needs no scan. */
export class UsageIndex {
  readonly #entries = new Map<string, ExistingWorkload>();
  readonly #sums = new Map<string, UsageSum>();
  readonly #names = new Map<string, Set<string>>();

  set(key: string, workload: ExistingWorkload): void {
    if (this.#replace(key, workload)) return;
    this.delete(key);
    this.#entries.set(key, workload);
    const { namespace, vmName } = workload;
    const sum = this.#sums.get(namespace) ?? new UsageSum();
    this.#sums.set(namespace, sum);
    sum.add(workload);
    if (vmName !== null) this.#names.set(vmName, (this.#names.get(vmName) ?? new Set()).add(key));
  }

  /** An object is usually reported again after its admission, without a change of namespace or name. */
  #replace(key: string, workload: ExistingWorkload): boolean {
    const old = this.#entries.get(key);
    if (old?.namespace !== workload.namespace || old.vmName !== workload.vmName) return false;
    this.#entries.set(key, workload);
    const sum = this.#sums.get(workload.namespace);
    sum?.subtract(old);
    sum?.add(workload);
    return true;
  }

  delete(key: string): void {
    const old = this.#entries.get(key);
    if (old === undefined) return;
    this.#entries.delete(key);
    const sum = this.#sums.get(old.namespace);
    sum?.subtract(old);
    if (sum?.empty === true) this.#sums.delete(old.namespace);
    if (old.vmName === null) return;
    const keys = this.#names.get(old.vmName);
    keys?.delete(key);
    if (keys?.size === 0) this.#names.delete(old.vmName);
  }

  /** Usage of a namespace, without the object with this key. */
  usage(namespace: string, except: string): Usage {
    const own = this.#entries.get(except);
    const sum = this.#sums.get(namespace) ?? new UsageSum();
    return sum.usage(own?.namespace === namespace ? own : undefined);
  }

  /** Objects with this spec.vmName. */
  named(vmName: string): Entry[] {
    return [...(this.#names.get(vmName) ?? [])].flatMap((key): Entry[] => {
      const workload = this.#entries.get(key);
      return workload === undefined ? [] : [[key, workload]];
    });
  }

  entries(): Iterable<Entry> {
    return this.#entries;
  }
}
