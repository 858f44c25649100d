import type { ExistingWorkload } from "../../model/cluster-data.ts";

/** For so long an object that was admitted and not stored counts against its namespace, in seconds. */
const REMEMBERED_SECONDS = 600;
/** Of a namespace, so many of the last are remembered. */
const MOST_OF_NAMESPACE = 32;
/** Most that wait until the cluster is seen: while it cannot be watched, it is not known what was stored. */
const MOST_DOUBTFUL = 10_000;

/** One reservation that ended without an object. */
export interface Ended {
  key: string;
  namespace: string;
  /** Seconds since 1970: when it ended. An object that is stored was seen in time, if the cluster was seen as it was after that. */
  at: number;
}

/** Reservations that ended without an object: the API server refused it after both webhooks, for instance by a ResourceQuota. */
export interface Unstored {
  /** The object was not seen until the reservation ended. */
  end(key: string, workload: Pick<ExistingWorkload, "namespace">, at: number): void;
  /** The object was seen, or deleted, after its reservation had ended. */
  stored(key: string): void;
  /** The cluster was seen as it was at this time, in seconds since 1970. */
  seen(at: number): void;
  /** When the last objects of a namespace that were not stored were given up, in seconds since 1970. */
  times(namespace: string, nowSeconds: number): number[];
  /** When the first of these no longer counts. */
  endOf(times: readonly number[]): number;
  snapshot(): Ended[];
}

/** A memory of none. */
export function createUnstored(): Unstored {
  /** By key: not known yet whether the object was stored, since the cluster was not seen after it. */
  const doubtful = new Map<string, Ended>();
  const known = new Map<string, Ended[]>();

  function record(ended: Ended): void {
    known.set(ended.namespace, [...(known.get(ended.namespace) ?? []), ended].slice(-MOST_OF_NAMESPACE));
  }

  const recent = (namespace: string, nowSeconds: number): Ended[] =>
    (known.get(namespace) ?? []).filter(({ at }) => at > nowSeconds - REMEMBERED_SECONDS);

  return {
    end(key, { namespace }, at) {
      doubtful.delete(key);
      doubtful.set(key, { key, namespace, at });
      const [oldest] = doubtful.keys();
      if (doubtful.size > MOST_DOUBTFUL && oldest !== undefined) doubtful.delete(oldest);
    },
    stored(key) {
      doubtful.delete(key);
    },
    seen(at) {
      for (const [key, ended] of doubtful) {
        if (ended.at > at) continue;
        doubtful.delete(key);
        record(ended);
      }
      for (const namespace of known.keys()) {
        const left = recent(namespace, at);
        if (left.length === 0) known.delete(namespace);
        else known.set(namespace, left);
      }
    },
    times: (namespace, nowSeconds) => recent(namespace, nowSeconds).map(({ at }) => at),
    endOf: (times) => Math.min(...times) + REMEMBERED_SECONDS,
    snapshot: () => [...[...known.values()].flat(), ...doubtful.values()],
  };
}
