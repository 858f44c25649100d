import type { ExistingWorkload, Usage } from "../model/cluster-data.ts";
import { UsageIndex, type Entry } from "./usage-index.ts";

/** Existing objects and admitted objects that are not seen yet: both count. */
export interface Reservations {
  /** The object's present version; null: deleted. Either ends its reservation. */
  put(key: string, workload: ExistingWorkload | null): void;
  /** Counts from now on instead of the known version, until the object is seen or `until` has passed. */
  reserve(key: string, workload: ExistingWorkload, until: number): void;
  /** Usage of a namespace, without the object with this key. */
  usage(namespace: string, except: string, nowSeconds: number): Usage;
  /** Objects with this spec.vmName. */
  named(vmName: string, nowSeconds: number): Entry[];
  /** All objects except the one with this key. */
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
  /** The reservation has priority over the known version. */
  const counted = new UsageIndex();

  function release(key: string): void {
    reserved.delete(key);
    const workload = known.get(key);
    if (workload === undefined) counted.delete(key);
    else counted.set(key, workload);
  }

  /** All reservations have the same duration, so the oldest are first. */
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
      // A renewed reservation moves to the end.
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
