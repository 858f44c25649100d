import type { ExistingWorkload, Usage } from "../model/cluster-data.ts";
import { UsageIndex, type Entry } from "./usage-index.ts";

/** Objects that are there, and objects that were admitted and are expected: both count. */
export interface Reservations {
  /** The object as the cluster has it now; null: it is gone. Either way the reservation has done its work. */
  put(key: string, workload: ExistingWorkload | null): void;
  /** Counts from now on, in place of what is known under this key, until the object is seen or `until` has passed. */
  reserve(key: string, workload: ExistingWorkload, until: number): void;
  /** What a namespace's objects come to, without the one of this key. */
  usage(namespace: string, except: string, nowSeconds: number): Usage;
  /** Those with this spec.vmName. */
  named(vmName: string, nowSeconds: number): Entry[];
  /** Everything but what is known under this key. */
  all(nowSeconds: number, except: string): ExistingWorkload[];
  snapshot(): (
    | { type: "workload"; key: string; workload: ExistingWorkload }
    | { type: "reservation"; key: string; workload: ExistingWorkload; until: number }
  )[];
}

/** An index without objects. */
export function createReservations(): Reservations {
  const known = new Map<string, ExistingWorkload>();
  const reserved = new Map<string, { workload: ExistingWorkload; until: number }>();
  /** A reservation before what is known. */
  const counted = new UsageIndex();

  function release(key: string): void {
    reserved.delete(key);
    const workload = known.get(key);
    if (workload === undefined) counted.delete(key);
    else counted.set(key, workload);
  }

  /** Every reservation is for as long as the next, so the oldest come first. */
  function indexAt(nowSeconds: number): UsageIndex {
    for (const [key, { until }] of reserved) {
      if (until > nowSeconds) break;
      release(key);
    }
    return counted;
  }

  return {
    put(key, workload) {
      if (workload === null) known.delete(key);
      else known.set(key, workload);
      release(key);
    },
    reserve(key, workload, until) {
      // Renewed, it goes to the end of the line.
      reserved.delete(key);
      reserved.set(key, { workload, until });
      counted.set(key, workload);
    },
    usage: (namespace, except, nowSeconds) => indexAt(nowSeconds).usage(namespace, except),
    named: (vmName, nowSeconds) => indexAt(nowSeconds).named(vmName),
    all: (nowSeconds, except) =>
      [...indexAt(nowSeconds).entries()].flatMap(([key, workload]) => (key === except ? [] : [workload])),
    snapshot: () => [
      ...[...known].map(([key, workload]) => ({ type: "workload" as const, key, workload })),
      ...[...reserved].map(([key, reservation]) => ({ type: "reservation" as const, key, ...reservation })),
    ],
  };
}
