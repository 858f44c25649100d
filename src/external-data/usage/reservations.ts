import type { ExistingWorkload, Usage } from "../../model/cluster-data.ts";
import { asInstalled, widest } from "./merge-versions.ts";
import { countOf, openReservationBook, type Reservation, type ReservationBook } from "./reservation-book.ts";
import { createRunningReleases } from "./running-releases.ts";
import { createUnstored, type Ended, type Unstored } from "./unstored.ts";
import type { ReleaseMark, RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import { isStoredAs, type SharedReservation } from "./shared-reservations.ts";
import { unseenOf, unseenVersionsOf } from "./unseen.ts";
import { UsageIndex, type Entry, type Namesakes } from "./usage-index.ts";

/** Existing objects and admitted objects that are not seen yet: both count. */
export interface Reservations {
  /** The cluster was seen as it was at this time, in seconds since 1970: reservations that the guard confirmed end no earlier. */
  seen(at: number, wasAway?: boolean): void;
  /**
   * How many confirmed objects, of a namespace or of all, are kept that were not seen in time, if that is the limit; null otherwise. With a key, how many
   * earlier versions: of this object, of its namespace, or of all.
   */
  behind(namespace: string, nowSeconds: number, key?: string): number | null;
  /**
   * The object's present version; null: deleted. It ends the reservations that it covers. `counts`: the part of it that counts, if that is
   * not the whole.
   */
  put(key: string, workload: ExistingWorkload | null, counts?: ExistingWorkload | null): void;
  /**
   * The object is stored with an offer. It does not count, but its name is taken and its releases are its own. It ends no reservation: an
   * offer says nothing about the change that was reserved, such as its confirmation.
   */
  offer(key: string, workload: ExistingWorkload): void;
  /** The part of the present version that counts, which changed without the object; undefined if there is none. */
  recount(key: string, counts: ExistingWorkload | null | undefined): void;
  /**
   * Counts from now on besides the known version, until the object is seen or `until` has passed: the larger size of both, in both
   * places. The API server may still refuse the request, so it must not lower what counts.
   */
  reserve(reservation: Reservation): void;
  /** Takes back the reservation of a decision that was not answered. */
  withdraw: ReservationBook["withdraw"];
  /** Those of the ledger: null takes one back. */
  share: ReservationBook["share"];
  /** Whether what the ledger has for an object with one of these keys soon no longer counts: it must not be stored any more. */
  isLate: ReservationBook["shared"]["isLate"];
  /** Objects of a namespace that were admitted and not stored. */
  unstored: Unstored;
  /** How many objects of a namespace, without the one with this key, were admitted and not seen yet. */
  awaited(namespace: string, except: string, nowSeconds: number): number;
  /** How many reservations, not yet seen by the guard, a namespace and a user have. */
  unconfirmed(namespace: string, by: string, nowSeconds: number): { namespace: number; user: number };
  /** Whether the creation that this decision was made for is reserved, and neither the guard nor the informer has seen its object. */
  isOpen(decisionId: string, nowSeconds: number): boolean;
  /** The size that a release runs by a record of Landfall's namespace; null: it is gone. Counts besides the object, which can have changed since. */
  run(record: string, mark: ReleaseMark | null): void;
  /** Whether what runs under the key of a deleted object is recorded as retained: then that record counts, or nothing does. */
  retain(key: string, isRecorded: boolean): void;
  /** The sizes that recorded releases of the object with this key run; of any uid if it is omitted. */
  running(key: string, uid: string | undefined): RunningSize[];
  /** The key of what a release runs whose object is gone. */
  left(key: string, release: string): string | null;
  /** Whether an object of this key is stored or reserved. */
  has(key: string): boolean;
  /** Whether an object of this key is stored, as far as it is known. */
  isStored(key: string): boolean;
  /** Usage of a namespace, without the object with this key. */
  usage(namespace: string, except: string, nowSeconds: number): Usage;
  /** Other objects with a machine's name, those of its namespace first. */
  named(asked: Namesakes, nowSeconds: number): Entry[];
  /** All objects except the one with this key. */
  all(nowSeconds: number, except: string): ExistingWorkload[];
  snapshot(): (
    | { type: "workload"; key: string; workload: ExistingWorkload }
    | ({ type: "reservation" } & Reservation)
    | SharedEvent
    | ({ type: "unstored" } & Ended)
  )[];
}

/** A change of a reservation of the ledger; null: it was taken back. Changes have rising numbers. */
export interface SharedEvent {
  type: "shared";
  id: string;
  number: number;
  reservation: SharedReservation | null;
}

/** The key of an object whose name is not generated yet: that of its nonce. No object with a name has such a key. */
export const nonceKey = (kind: string, namespace: string, id: string): string => `${kind}/${namespace}/#${id}`;

/** An index without objects. */
export function createReservations(): Reservations {
  /** Objects as they are stored, and the part of each that counts. */
  const [present, known] = [new Map<string, ExistingWorkload>(), new Map<string, ExistingWorkload>()];
  /** Those that are stored with an offer; none of them is present. */
  const offered = new Map<string, ExistingWorkload>();
  const book = openReservationBook(giveUp, count);
  const { open, confirmed } = book;
  const running = createRunningReleases();
  const unstored = createUnstored();
  let seenAt = Number.NEGATIVE_INFINITY;
  const [retained, leftKeys] = [new Set<string>(), new Map<string, string[]>()];
  /** Of each object its known version, its reservations, and what its releases run. */
  const counted = new UsageIndex();

  /** It took nothing if it asked for no more than the object has. */
  function giveUp(reservation: Reservation): void {
    const { key, workload, creates, until, id } = reservation;
    const stored = present.get(key);
    if (stored === undefined || !isStoredAs(key, stored, reservation))
      unstored.end({ key, namespace: workload.namespace, at: until, id, reserved: { key, workload, creates } });
    count(key);
  }

  function know(key: string, counts: ExistingWorkload | null): void {
    if (counts === null) known.delete(key);
    else known.set(key, counts);
  }

  function count(key: string): void {
    const workload = known.get(key);
    const { own, others } = running.split(key, workload ?? offered.get(key) ?? null);
    const stored = workload === undefined ? own : [...own, asInstalled(workload, own)];
    counted.set(key, widest([...stored, ...book.of(key).map((reservation) => reservation.workload)]));
    countLeft(key, others);
  }

  /** The sizes that run for objects of this key that are gone. */
  function countLeft(key: string, others: Map<string, ExistingWorkload[]>): void {
    for (const one of new Set([...(leftKeys.get(key) ?? []), ...others.keys()])) {
      const recorded = known.get(one);
      if (retained.has(one)) counted.set(one, recorded === undefined ? [] : [recorded]);
      else counted.set(one, widest(others.get(one) ?? []));
    }
    if (others.size === 0) leftKeys.delete(key);
    else leftKeys.set(key, [...others.keys()]);
  }

  /** Ends the reservations under this key which this version of the object covers: others may still be stored, or will never be. */
  function settle(key: string, stored: ExistingWorkload): void {
    book.see(key, stored);
    unstored.stored(key, stored);
    count(key);
  }

  /** The reservation for the object before it had a name. */
  function settleNonce(stored: ExistingWorkload): void {
    const { kind, namespace, decisionId } = stored;
    if (decisionId !== undefined) settle(nonceKey(kind, namespace, decisionId), stored);
  }

  function indexAt(nowSeconds: number): UsageIndex {
    book.expire(nowSeconds, seenAt);
    return counted;
  }

  return {
    seen(at, wasAway = false) {
      seenAt = at;
      // Also where nothing is decided, or reservations without an object would stay permanently.
      indexAt(at);
      unstored.seen(at, wasAway);
    },
    unstored,
    awaited(namespace, except, nowSeconds) {
      indexAt(nowSeconds);
      const isOther = ([key, { workload }]: [string, Reservation]): boolean =>
        workload.namespace === namespace && key !== except;
      return [...open, ...confirmed].filter(isOther).length;
    },
    behind(namespace, nowSeconds, key) {
      book.expire(nowSeconds, seenAt);
      return key === undefined
        ? unseenOf([...confirmed.values()], namespace, nowSeconds)
        : unseenVersionsOf(book.replaced, { key, namespace }, nowSeconds);
    },
    put(key, workload, counts = workload) {
      offered.delete(key);
      if (workload === null) {
        book.gone(key);
        present.delete(key);
      } else {
        present.set(key, workload);
        settleNonce(workload);
        settle(key, workload);
      }
      know(key, counts);
      count(key);
    },
    offer(key, workload) {
      // No controller confirmed its end, which is when its release stops counting.
      offered.set(key, { ...workload, end: null });
      present.delete(key);
      know(key, null);
      count(key);
    },
    recount(key, counts) {
      if (counts === undefined) return;
      know(key, counts);
      count(key);
    },
    reserve(reservation) {
      if (reservation.by === undefined) settleNonce(reservation.workload);
      book.add(reservation);
      count(reservation.key);
    },
    withdraw: (withdrawal) => book.withdraw(withdrawal),
    share: (id, reservation) => book.share(id, reservation),
    isLate: (...asked) => book.shared.isLate(...asked),
    unconfirmed(namespace, by, nowSeconds) {
      book.expire(nowSeconds, seenAt);
      return countOf(open, namespace, by);
    },
    isOpen: (decisionId, nowSeconds) =>
      book.shared.isOpen(decisionId, nowSeconds) ||
      [...open.values()].some(
        ({ creates, until, workload }) => creates === true && until > nowSeconds && workload.decisionId === decisionId,
      ),
    run(record, mark) {
      for (const key of running.put(record, mark)) count(key);
    },
    retain(key, isRecorded) {
      if (isRecorded) retained.add(key);
      else retained.delete(key);
      const [object = key] = key.split("#");
      count(object);
    },
    running: (key, uid) => running.sizes(key, uid),
    left: (key, release) => running.left(key, release),
    has: (key) => known.has(key) || offered.has(key) || open.has(key) || confirmed.has(key),
    isStored: (key) => present.has(key) || offered.has(key),
    usage: (namespace, except, nowSeconds) => indexAt(nowSeconds).usage(namespace, except),
    named: (asked, nowSeconds) => indexAt(nowSeconds).named(asked),
    all: (nowSeconds, except) =>
      [...indexAt(nowSeconds).entries()].flatMap(([key, workload]) => (key === except ? [] : [workload])),
    snapshot: () => [
      ...[...known].map(([key, workload]) => ({ type: "workload" as const, key, workload })),
      ...book.all().map((one) => ({ type: "reservation" as const, ...one })),
      ...book.shared.all().map(({ id, ...one }) => ({ type: "shared" as const, id, number: 0, reservation: one })),
      ...unstored.snapshot().map((one) => ({ type: "unstored" as const, ...one })),
    ],
  };
}
