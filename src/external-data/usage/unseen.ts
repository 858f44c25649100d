import type { Reservation } from "./reservation-book.ts";

/** The numbers of reservations that are kept although they were not seen in time: objects, of which one namespace has a share, and earlier versions of one. */
const MOST_UNSEEN = { object: 16, namespace: 1000, all: 10_000 } as const;

/** Whether these are so many, although one of them should have been seen. */
const isOver = (ones: readonly Reservation[], most: number, nowSeconds: number): boolean =>
  ones.length >= most && ones.some(({ until }) => until <= nowSeconds);

/** The limit that these reservations are beyond, of a namespace or of all; null for none. */
export function unseenOf(all: readonly Reservation[], namespace: string, nowSeconds: number): number | null {
  if (all.length < MOST_UNSEEN.namespace) return null;
  if (isOver(all, MOST_UNSEEN.all, nowSeconds)) return MOST_UNSEEN.all;
  const own = all.filter(({ workload }) => workload.namespace === namespace);
  return isOver(own, MOST_UNSEEN.namespace, nowSeconds) ? MOST_UNSEEN.namespace : null;
}

/** The same of versions that later requests replaced, also of one object. */
export function unseenVersionsOf(
  replaced: ReadonlyMap<string, readonly Reservation[]>,
  { key, namespace }: { key: string; namespace: string },
  nowSeconds: number,
): number | null {
  if (isOver(replaced.get(key) ?? [], MOST_UNSEEN.object, nowSeconds)) return MOST_UNSEEN.object;
  // Each object has no more than the limit of one.
  if (replaced.size * MOST_UNSEEN.object < MOST_UNSEEN.namespace) return null;
  return unseenOf([...replaced.values()].flat(), namespace, nowSeconds);
}
