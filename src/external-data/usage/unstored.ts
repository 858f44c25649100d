import type { ExistingWorkload } from "../../model/cluster-data.ts";
import { isStoredAs } from "./shared-reservations.ts";

/** For so long an object that was admitted and not stored counts against its namespace, in seconds. */
const REMEMBERED_SECONDS = 600;
/** Of a namespace, so many of the last are remembered. */
const MOST_OF_NAMESPACE = 32;
/** Longer than any reservation lasts, in seconds: what was asked for during an outage has ended so long after it. */
const EXCUSED_SECONDS = 30;
/** Most that wait until the cluster is seen: while it cannot be watched, it is not known what was stored. */
const MOST_DOUBTFUL = 10_000;

/** One reservation that ended without an object. */
export interface Ended {
  key: string;
  namespace: string;
  /** Seconds since 1970: when it ended. An object that is stored was seen in time, if the cluster was seen as it was after that. */
  at: number;
  /** Of its claim in the ledger: each counts once. */
  id?: string | undefined;
  /** The reserved object, as long as it may still be seen: only a version of the object that covers it was stored. */
  reserved?: Parameters<typeof isStoredAs>[2];
  /** Of a creation, the nonce of its decision: an object that has it was stored, however late. */
  nonce?: string | undefined;
}

/** Reservations that ended without an object: the API server refused it after both webhooks, for instance by a ResourceQuota. */
export interface Unstored {
  /** The object was not seen until the reservation ended. */
  end(ended: Ended): void;
  /** This version of the object was seen after its reservation had ended, for instance because another webhook was slow. */
  stored(key: string, stored: ExistingWorkload): void;
  /**
   * The cluster was seen as it was at this time, in seconds since 1970. `wasAway`: its storage did not answer since it was seen before. Then
   * nothing is known of what was asked for meanwhile: nothing could be stored.
   */
  seen(at: number, wasAway?: boolean): void;
  /** When the last objects of a namespace that were not stored were given up, in seconds since 1970. */
  times(namespace: string, nowSeconds: number): number[];
  /** When the first of these no longer counts. */
  endOf(times: readonly number[]): number;
  snapshot(): Ended[];
}

/** A memory of none. */
export function createUnstored(): Unstored {
  /** By key: not known yet whether the object was stored, since the cluster was not seen after it. */
  const doubtful = new Map<string, Ended[]>();
  const known = new Map<string, Ended[]>();
  let doubts = 0;
  /** Reservations that ended until then may have been asked for while nothing could be stored. */
  let excused = -Infinity;

  function keep(namespace: string, left: Ended[]): void {
    if (left.length === 0) known.delete(namespace);
    else known.set(namespace, left);
  }

  function record({ reserved, ...ended }: Ended): void {
    const nonce = reserved?.creates === true ? reserved.workload.decisionId : undefined;
    const { namespace } = ended;
    keep(namespace, [...(known.get(namespace) ?? []), { ...ended, nonce }].slice(-MOST_OF_NAMESPACE));
  }

  const recent = (namespace: string, nowSeconds: number): Ended[] =>
    (known.get(namespace) ?? []).filter(({ at }) => at > nowSeconds - REMEMBERED_SECONDS);

  const isKnown = ({ key, namespace, id }: Ended): boolean =>
    id !== undefined && [...(doubtful.get(key) ?? []), ...(known.get(namespace) ?? [])].some((one) => one.id === id);

  /** Ends the doubts about a key that are selected, and returns them. */
  function take(key: string, selects: (ended: Ended) => boolean): Ended[] {
    const all = doubtful.get(key) ?? [];
    const left = all.filter((one) => !selects(one));
    if (left.length === 0) doubtful.delete(key);
    else doubtful.set(key, left);
    doubts -= all.length - left.length;
    return all.filter(selects);
  }

  return {
    end(ended) {
      if (isKnown(ended)) return;
      doubtful.set(ended.key, [...(doubtful.get(ended.key) ?? []), ended]);
      doubts += 1;
      const [oldest] = doubtful.keys();
      if (doubts > MOST_DOUBTFUL && oldest !== undefined) take(oldest, () => true);
    },
    stored(key, stored) {
      take(key, ({ reserved }) => reserved === undefined || isStoredAs(key, stored, reserved));
      const { namespace, decisionId } = stored;
      const ended = known.get(namespace);
      if (ended === undefined || decisionId === undefined) return;
      keep(
        namespace,
        ended.filter(({ nonce }) => nonce !== decisionId),
      );
    },
    seen(at, wasAway = false) {
      if (wasAway) excused = at + EXCUSED_SECONDS;
      for (const key of doubtful.keys())
        for (const ended of take(key, (one) => one.at <= at)) if (ended.at > excused) record(ended);
      for (const namespace of known.keys()) keep(namespace, recent(namespace, at));
    },
    times: (namespace, nowSeconds) => recent(namespace, nowSeconds).map(({ at }) => at),
    endOf: (times) => Math.min(...times) + REMEMBERED_SECONDS,
    snapshot: () => [...known.values(), ...doubtful.values()].flat(),
  };
}
