import type { ExistingWorkload } from "../model/facts.ts";

type Entry = [key: string, workload: ExistingWorkload];

/** Objects that are there, and objects that were admitted and are expected: both count. */
export interface Ledger {
  /** The object as the cluster has it now; null: it is gone. Either way the reservation has done its work. */
  put(key: string, workload: ExistingWorkload | null): void;
  /** Counts from now on, in place of what is known under this key, until the object is seen or `until` has passed. */
  reserve(key: string, workload: ExistingWorkload, until: number): void;
  inNamespace(namespace: string, now: number): Iterable<Entry>;
  /** Those with this spec.vmName. */
  named(vmName: string, now: number): Entry[];
  /** Everything but what is known under this key. */
  all(now: number, except: string): ExistingWorkload[];
  snapshot(): (
    | { type: "workload"; key: string; workload: ExistingWorkload }
    | { type: "reservation"; key: string; workload: ExistingWorkload; until: number }
  )[];
}

/** Entries by key, found by namespace and by vmName without a walk over all of them. */
class Index {
  readonly #entries = new Map<string, ExistingWorkload>();
  readonly #namespaces = new Map<string, Set<string>>();
  readonly #names = new Map<string, Set<string>>();

  get(key: string): ExistingWorkload | undefined {
    return this.#entries.get(key);
  }

  set(key: string, workload: ExistingWorkload): void {
    this.delete(key);
    this.#entries.set(key, workload);
    Index.#link(this.#namespaces, workload.namespace, key);
    if (workload.vmName !== null) Index.#link(this.#names, workload.vmName, key);
  }

  delete(key: string): void {
    const old = this.#entries.get(key);
    if (old === undefined) return;
    this.#entries.delete(key);
    Index.#unlink(this.#namespaces, old.namespace, key);
    if (old.vmName !== null) Index.#unlink(this.#names, old.vmName, key);
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  ofNamespace(namespace: string): Iterable<string> {
    return this.#namespaces.get(namespace) ?? [];
  }

  ofName(vmName: string): Iterable<string> {
    return this.#names.get(vmName) ?? [];
  }

  static #link(index: Map<string, Set<string>>, name: string, key: string): void {
    const keys = index.get(name) ?? new Set();
    index.set(name, keys.add(key));
  }

  static #unlink(index: Map<string, Set<string>>, name: string, key: string): void {
    const keys = index.get(name);
    keys?.delete(key);
    if (keys?.size === 0) index.delete(name);
  }
}

/** An empty ledger. */
export function createLedger(): Ledger {
  const known = new Index();
  const reserved = new Index();
  const until = new Map<string, number>();

  function release(key: string): void {
    reserved.delete(key);
    until.delete(key);
  }

  /** Every reservation is for as long as the next, so the oldest come first. */
  function expire(now: number): void {
    for (const [key, end] of until) {
      if (end > now) return;
      release(key);
    }
  }

  /** What counts under these keys: a reservation before what is known. */
  function* effective(keys: Iterable<string>, expected: Iterable<string>, wanted: (w: ExistingWorkload) => boolean) {
    for (const key of new Set([...keys, ...expected])) {
      const workload = reserved.get(key) ?? known.get(key);
      if (workload !== undefined && wanted(workload)) yield [key, workload] as Entry;
    }
  }

  return {
    put(key, workload) {
      release(key);
      if (workload === null) known.delete(key);
      else known.set(key, workload);
    },
    reserve(key, workload, end) {
      reserved.set(key, workload);
      // Renewed, it goes to the end of the line.
      until.delete(key);
      until.set(key, end);
    },
    inNamespace(namespace, now) {
      expire(now);
      return effective(known.ofNamespace(namespace), reserved.ofNamespace(namespace), () => true);
    },
    named(vmName, now) {
      expire(now);
      return [...effective(known.ofName(vmName), reserved.ofName(vmName), (other) => other.vmName === vmName)];
    },
    all(now, except) {
      expire(now);
      const entries = effective(known.keys(), reserved.keys(), () => true);
      return [...entries].flatMap(([key, workload]) => (key === except ? [] : [workload]));
    },
    snapshot: () => [
      ...[...known.keys()].flatMap((key) => {
        const workload = known.get(key);
        return workload === undefined ? [] : [{ type: "workload" as const, key, workload }];
      }),
      ...[...until].flatMap(([key, end]) => {
        const workload = reserved.get(key);
        return workload === undefined ? [] : [{ type: "reservation" as const, key, workload, until: end }];
      }),
    ],
  };
}
