import type { ExistingWorkload } from "../../model/cluster-data.ts";
import type { ReleaseMark, RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import { isKind } from "../../model/names.ts";

/** The size that one recorded release may run. */
interface Running {
  uid: string;
  release: string;
  /** Helm was asked to uninstall it: it only counts. */
  isRemoved: boolean;
  sizes: RunningSize[];
  workloads: ExistingWorkload[];
}

/** The parts of an object's releases that are its own, and those that run for an earlier object of the same name. */
export interface Split {
  own: ExistingWorkload[];
  /** By the key under which it counts. */
  others: Map<string, ExistingWorkload[]>;
}

/** The sizes that recorded releases may run, by the key of their object. */
export interface RunningReleases {
  /** Returns the keys of the objects whose releases changed. */
  put(record: string, mark: ReleaseMark | null): string[];
  /** `object`: as the cluster has it now; null if it is gone. */
  split(key: string, object: ExistingWorkload | null): Split;
  /** The sizes that releases of the object with this key run; of any uid if it is omitted. */
  sizes(key: string, uid: string | undefined): RunningSize[];
  /** The key under which a release counts whose object is gone; null if there is none. */
  left(key: string, release: string): string | null;
}

/** The key under which something counts that runs for an object which is gone: an object that is created again has another uid. */
export const leftKey = (key: string, uid: string): string => `${key}#${uid}`;

function workloadsOf({ kind, namespace, name, running }: ReleaseMark): ExistingWorkload[] {
  if (!isKind(kind)) return [];
  const about = { kind, namespace, name, vmName: null, start: null, end: null };
  return running.map(({ retains: _, pools: _pools, idle: _idle, ...size }) => ({
    ...about,
    ...size,
    runs: true as const,
  }));
}

/** An index without releases. */
export function createRunningReleases(): RunningReleases {
  const keys = new Map<string, string>();
  const byKey = new Map<string, Map<string, Running>>();
  const of = (key: string): Running[] => [...(byKey.get(key)?.values() ?? [])];

  function drop(record: string): string[] {
    const key = keys.get(record);
    if (key === undefined) return [];
    keys.delete(record);
    byKey.get(key)?.delete(record);
    if (byKey.get(key)?.size === 0) byKey.delete(key);
    return [key];
  }

  return {
    put(record, mark) {
      const before = drop(record);
      const workloads = mark === null ? [] : workloadsOf(mark);
      if (mark === null || workloads.length === 0) return before;
      const key = `${mark.kind}/${mark.namespace}/${mark.name}`;
      keys.set(record, key);
      const known = byKey.get(key) ?? new Map<string, Running>();
      const { uid, release, running: sizes, removed: isRemoved = false } = mark;
      byKey.set(key, known.set(record, { uid, release, isRemoved, sizes, workloads }));
      return [...new Set([...before, key])];
    },
    split(key, object) {
      const found: Split = { own: [], others: new Map() };
      for (const { uid, workloads } of of(key)) {
        if (object !== null && (object.uid ?? uid) === uid) {
          // It runs already, whatever start its object says: that is the start of what comes next. Its machine's name is in its specification.
          const { vmName, end } = object;
          found.own.push(...workloads.map((workload) => ({ ...workload, vmName, end })));
        } else {
          const other = leftKey(key, uid);
          found.others.set(other, [...(found.others.get(other) ?? []), ...workloads]);
        }
      }
      return found;
    },
    sizes: (key, uid) =>
      of(key)
        .filter((one) => !one.isRemoved && (uid === undefined || one.uid === "" || one.uid === uid))
        .flatMap((one) => one.sizes),
    left(key, release) {
      const found = of(key).find((one) => !one.isRemoved && one.release === release);
      return found === undefined ? null : leftKey(key, found.uid);
    },
  };
}
