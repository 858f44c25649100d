import type { ExistingWorkload, Usage } from "../model/cluster-data.ts";
import { UsageSum } from "./usage-sum.ts";

export type Entry = [key: string, workload: ExistingWorkload];

/** Objects by key; what a decision asks of them is answered without a walk over all. */
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

  /** An object that is told of again, as each is once it was admitted, mostly stays where it is known. */
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

  /** What a namespace's objects come to, without the one of this key. */
  usage(namespace: string, except: string): Usage {
    const own = this.#entries.get(except);
    const sum = this.#sums.get(namespace) ?? new UsageSum();
    return sum.usage(own?.namespace === namespace ? own : undefined);
  }

  /** Those with this spec.vmName. */
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
