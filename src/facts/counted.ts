import type { ExistingWorkload, Usage } from "../model/facts.ts";
import { Tally } from "./tally.ts";

export type Entry = [key: string, workload: ExistingWorkload];

/** Objects by key; what a decision asks of them is answered without a walk over all. */
export class Counted {
  readonly #entries = new Map<string, ExistingWorkload>();
  readonly #tallies = new Map<string, Tally>();
  readonly #names = new Map<string, Set<string>>();

  set(key: string, workload: ExistingWorkload): void {
    if (this.#replace(key, workload)) return;
    this.delete(key);
    this.#entries.set(key, workload);
    const { namespace, vmName } = workload;
    const tally = this.#tallies.get(namespace) ?? new Tally();
    this.#tallies.set(namespace, tally);
    tally.add(workload);
    if (vmName !== null) this.#names.set(vmName, (this.#names.get(vmName) ?? new Set()).add(key));
  }

  /** An object that is told of again, as each is once it was admitted, mostly stays where it is known. */
  #replace(key: string, workload: ExistingWorkload): boolean {
    const old = this.#entries.get(key);
    if (old?.namespace !== workload.namespace || old.vmName !== workload.vmName) return false;
    this.#entries.set(key, workload);
    const tally = this.#tallies.get(workload.namespace);
    tally?.subtract(old);
    tally?.add(workload);
    return true;
  }

  delete(key: string): void {
    const old = this.#entries.get(key);
    if (old === undefined) return;
    this.#entries.delete(key);
    const tally = this.#tallies.get(old.namespace);
    tally?.subtract(old);
    if (tally?.empty === true) this.#tallies.delete(old.namespace);
    if (old.vmName === null) return;
    const keys = this.#names.get(old.vmName);
    keys?.delete(key);
    if (keys?.size === 0) this.#names.delete(old.vmName);
  }

  /** What a namespace's objects come to, without the one of this key. */
  usage(namespace: string, except: string): Usage {
    const own = this.#entries.get(except);
    const tally = this.#tallies.get(namespace) ?? new Tally();
    return tally.usage(own?.namespace === namespace ? own : undefined);
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
