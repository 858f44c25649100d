import type { ExistingWorkload } from "../../model/cluster-data.ts";
import { isCovered } from "./merge-versions.ts";

/** An admitted object that all replicas of the webhook count. */
export interface SharedReservation {
  key: string;
  workload: ExistingWorkload;
  /** It asks for a new object. */
  creates: boolean;
  /** Seconds since 1970: it counts until then, and until the cluster was seen as it was then. */
  until: number;
}

/** So long a reservation is remembered that ended without its object, in seconds: an API server ends a request after 60 s. */
const LATE_SECONDS = 120;

/** Whether the object that is stored under this key is the one that was reserved for, or counts for as much. */
export const isStoredAs = (
  key: string,
  stored: ExistingWorkload,
  reserved: Pick<SharedReservation, "key" | "workload"> & { creates?: boolean | undefined },
): boolean =>
  (reserved.creates === true &&
    reserved.workload.decisionId !== undefined &&
    stored.decisionId === reserved.workload.decisionId) ||
  (reserved.key === key && isCovered(reserved.workload, stored));

/** Reservations of the ledger, by their ids. `set` and `see` return the keys of what has to be counted again. */
export interface SharedReservations {
  /** Null: it was taken back. */
  set(id: string, reservation: SharedReservation | null): string[];
  of(key: string): Pick<SharedReservation, "key" | "workload" | "until">[];
  /** The object is stored like this. */
  see(key: string, stored: ExistingWorkload): string[];
  /** Those that end now without their object. */
  expire(nowSeconds: number, seenAt: number): (SharedReservation & { id: string })[];
  /** The id of the entry that this version of the object covers; undefined if there is none. */
  idOf(key: string, stored: ExistingWorkload): string | undefined;
  /** Whether a creation with this decision is reserved. */
  isOpen(decisionId: string, nowSeconds: number): boolean;
  /** Whether what was reserved for this object no longer counts in so many seconds, and nothing else is reserved for it. */
  isLate(keys: readonly string[], nowSeconds: number, seconds: number): boolean;
  all(): (SharedReservation & { id: string })[];
}

/** None. */
export function createSharedReservations(): SharedReservations {
  const byId = new Map<string, SharedReservation>();
  const byKey = new Map<string, Set<string>>();
  /** When reservations ended without their object, by its key. */
  const late = new Map<string, number>();

  const idsOf = (key: string): Iterable<string> => byKey.get(key) ?? [];
  const reservationsOf = (key: string): SharedReservation[] => [...idsOf(key)].flatMap((id) => byId.get(id) ?? []);

  function remove(id: string): string[] {
    const found = byId.get(id);
    if (found === undefined) return [];
    byId.delete(id);
    const ids = byKey.get(found.key);
    ids?.delete(id);
    if (ids?.size === 0) byKey.delete(found.key);
    return [found.key];
  }

  const select = (selects: (reservation: SharedReservation) => boolean): (SharedReservation & { id: string })[] =>
    [...byId].flatMap(([id, reservation]) => (selects(reservation) ? [{ id, ...reservation }] : []));

  return {
    set(id, reservation) {
      const before = remove(id);
      if (reservation === null) return before;
      byId.set(id, reservation);
      byKey.set(reservation.key, new Set([...idsOf(reservation.key), id]));
      late.delete(reservation.key);
      return [...before, reservation.key];
    },
    of: (key) => reservationsOf(key).map(({ workload, until }) => ({ key, workload, until })),
    see: (key, stored) => select((reservation) => isStoredAs(key, stored, reservation)).flatMap(({ id }) => remove(id)),
    expire(nowSeconds, seenAt) {
      const at = Math.min(nowSeconds, seenAt);
      const ended = select(({ until }) => until <= at);
      for (const { id, key } of ended) {
        remove(id);
        late.set(key, nowSeconds);
      }
      for (const [key, endedAt] of late) if (endedAt + LATE_SECONDS < nowSeconds) late.delete(key);
      return ended;
    },
    idOf: (key, stored) => select((reservation) => isStoredAs(key, stored, reservation)).at(-1)?.id,
    isOpen: (decisionId, nowSeconds) =>
      [...byId.values()].some(
        ({ creates, until, workload }) => creates && until > nowSeconds && workload.decisionId === decisionId,
      ),
    isLate(keys, nowSeconds, seconds) {
      const reserved = keys.flatMap(reservationsOf);
      if (reserved.length === 0) return keys.some((key) => late.has(key));
      return reserved.every(({ until }) => until < nowSeconds + seconds);
    },
    all: () => [...byId].map(([id, reservation]) => ({ id, ...reservation })),
  };
}
