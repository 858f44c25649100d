import type { ExistingWorkload } from "../../model/cluster-data.ts";
import { isCovered } from "./merge-versions.ts";
import {
  createSharedReservations,
  isStoredAs,
  type SharedReservation,
  type SharedReservations,
} from "./shared-reservations.ts";

/** An admitted object that has not been seen yet. */
export interface Reservation {
  key: string;
  workload: ExistingWorkload;
  /** Seconds since 1970; it does not count after, if the cluster was seen as it was then, or the guard has not seen the object. */
  until: number;
  /** Who asked for it, until the guard has seen the object: the API server may still refuse it. */
  by?: string;
  /** It asks for a new object. It counts also while one with this key exists: the API server looks for that only when it stores the new one. */
  creates?: boolean;
  /** Of its claim in the ledger; omitted if it needs none. */
  id?: string;
}

/** Which reservation is taken back: of this claim, or of this decision without one. */
export interface Withdrawal extends Pick<Reservation, "key" | "id"> {
  decisionId?: string;
}

/** Reservations that did not end, by the key of their object. */
export interface ReservationBook {
  /** Those that the guard has not seen, and those that it has; the oldest first. */
  open: ReadonlyMap<string, Reservation>;
  confirmed: ReadonlyMap<string, Reservation>;
  /** Those that a later request for the same object replaced. */
  replaced: ReadonlyMap<string, readonly Reservation[]>;
  /** Those of the ledger that all replicas share. */
  shared: Pick<SharedReservations, "isLate" | "all" | "isOpen">;
  /** Null: it was taken back. */
  share(id: string, reservation: SharedReservation | null): void;
  /** The object is stored like this. */
  see(key: string, stored: ExistingWorkload): void;
  add(reservation: Reservation): void;
  /** The decision of this reservation was not answered. */
  withdraw(withdrawal: Withdrawal): void;
  /** The object was deleted: no update of it is stored any more. */
  gone(key: string): void;
  /** Those for this key; the latest last. */
  of(key: string): Reservation[];
  all(): Reservation[];
  /** An object that the guard has confirmed is perhaps stored, so it counts until the cluster was seen (`seenAt`) after its time. Seconds since 1970. */
  expire(nowSeconds: number, seenAt: number): void;
}

/** How many of these reservations a namespace and a user have. */
export function countOf(
  open: ReadonlyMap<string, Reservation>,
  namespace: string,
  by: string,
): { namespace: number; user: number } {
  const own = { namespace: 0, user: 0 };
  for (const reservation of open.values()) {
    own.namespace += Number(reservation.workload.namespace === namespace);
    own.user += Number(reservation.by === by);
  }
  return own;
}

/**
 * A book without reservations. `onEnd`: one has ended without its object, and is no longer in the book. `onCovered`: one has ended with it, or
 * one of the ledger changed.
 */
export function openReservationBook(
  onEnd: (reservation: Reservation) => void,
  onCovered: (key: string) => void,
): ReservationBook {
  /** Each map has one duration, so the oldest are first. */
  const [open, confirmed] = [new Map<string, Reservation>(), new Map<string, Reservation>()];
  /** Those that a later request for the same object replaced. */
  const replaced = new Map<string, Reservation[]>();
  const shared = createSharedReservations();

  const of = (key: string): Reservation[] => {
    const latest = open.get(key) ?? confirmed.get(key);
    return [...shared.of(key), ...(replaced.get(key) ?? []), ...(latest === undefined ? [] : [latest])];
  };

  function expireIn(reserved: Map<string, Reservation>, at: number): void {
    // The oldest come first.
    for (const [key, reservation] of reserved) {
      if (reservation.until > at) break;
      reserved.delete(key);
      onEnd(reservation);
    }
  }

  function keepReplaced(key: string, left: Reservation[]): void {
    if (left.length === 0) replaced.delete(key);
    else replaced.set(key, left);
  }

  /** Takes out those of this process for this key that are selected. */
  function take(key: string, selects: (reservation: Reservation) => boolean): Reservation[] {
    const latest = [open, confirmed].flatMap((reserved) => {
      const found = reserved.get(key);
      if (found === undefined || !selects(found)) return [];
      reserved.delete(key);
      return [found];
    });
    const earlier = replaced.get(key) ?? [];
    keepReplaced(
      key,
      earlier.filter((one) => !selects(one)),
    );
    return [...earlier.filter(selects), ...latest];
  }

  function expireReplaced(endsAt: (reservation: Reservation) => number): void {
    for (const [key, all] of replaced) {
      const left = all.filter((one) => one.until > endsAt(one));
      keepReplaced(key, left);
      for (const one of all) if (!left.includes(one)) onEnd(one);
    }
  }

  return {
    open,
    confirmed,
    replaced,
    shared,
    of,
    share(id, reservation) {
      for (const key of shared.set(id, reservation)) onCovered(key);
    },
    see(key, stored) {
      for (const one of shared.see(key, stored)) onCovered(one);
      take(key, (one) => isStoredAs(key, stored, one));
    },
    withdraw({ key, id, decisionId }) {
      const isIt = (one: Reservation): boolean =>
        id === undefined ? one.id === undefined && one.workload.decisionId === decisionId : one.id === id;
      const latest = open.get(key);
      if (latest !== undefined && isIt(latest)) open.delete(key);
      keepReplaced(
        key,
        (replaced.get(key) ?? []).filter((one) => one.by === undefined || !isIt(one)),
      );
      onCovered(key);
    },
    all: () => [...[...replaced.values()].flat(), ...open.values(), ...confirmed.values()],
    add(reservation) {
      const { key, workload, by } = reservation;
      const latest = open.get(key) ?? confirmed.get(key);
      const own = [...(replaced.get(key) ?? []), ...(latest === undefined ? [] : [latest])];
      keepReplaced(
        key,
        own.filter((one) => !isCovered(one.workload, workload)),
      );
      // A renewed reservation moves to the end.
      open.delete(key);
      confirmed.delete(key);
      // The guard does not know the entry that it confirms.
      const id = reservation.id ?? (by === undefined ? shared.idOf(key, workload) : undefined);
      (by === undefined ? confirmed : open).set(key, id === undefined ? reservation : { ...reservation, id });
    },
    gone(key) {
      for (const one of take(key, ({ creates }) => creates !== true)) onEnd(one);
    },
    expire(nowSeconds, seenAt) {
      const seen = Math.min(nowSeconds, seenAt);
      expireIn(open, nowSeconds);
      expireIn(confirmed, seen);
      expireReplaced(({ by }) => (by === undefined ? seen : nowSeconds));
      for (const one of shared.expire(nowSeconds, seenAt)) onEnd(one);
    },
  };
}
