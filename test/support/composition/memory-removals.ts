import type { Removals } from "../../../src/composition/record/open-removals.ts";
import type { ReleaseMark } from "../../../src/model/decision-annotation/system-secrets.ts";

/** Removals that are recorded in memory alone. */
export function memoryRemovals(...given: ReleaseMark[]): Removals {
  const known = new Map(given.map((mark) => [mark.uid, mark]));
  return {
    begin: (mark) => Promise.resolve(void known.set(mark.uid, { ...mark, removed: true })),
    of: (uid) => Promise.resolve(known.get(uid) ?? null),
    ended: (uid) => Promise.resolve(void known.delete(uid)),
    list: () => Promise.resolve([...known.values()]),
  };
}
