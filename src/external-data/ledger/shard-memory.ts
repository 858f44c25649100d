import type { WorkloadEvent } from "../run-index.ts";
import { isStoredAs } from "../usage/shared-reservations.ts";
import type { LedgerEntry } from "./ledger-entry.ts";
import type { ShardContent } from "./shard-content.ts";
import { isDue, type KnownEntry, LIFE_SECONDS, withoutCovered } from "./shard-rules.ts";

/** Passes an entry to the processes that decide; null: it was taken back, and no longer counts. Returns the number of the change. */
export type TellEntry = (id: string, entry: LedgerEntry | null) => number;

/** The content of a shard as one replica knows it. No I/O. */
export interface ShardMemory {
  readonly known: ReadonlyMap<string, KnownEntry>;
  /** Of the content that was read or written last; 0 before. */
  serial(): number;
  /** Until then, in seconds since 1970, nothing is added: entries may be lost that no replica remembers. */
  lostUntil(): number;
  /** Whether entries have to be written that are not in the ledger, or must not be there. */
  isDirty(): boolean;
  /** The content that the next write has, with these entries added. */
  next(additions: readonly LedgerEntry[], nowSeconds: number): ShardContent;
  /** `next` was written. */
  wrote(content: ShardContent, origins: ReadonlyMap<string, object>): void;
  /** The shard has this content, which another replica wrote. */
  learn(content: ShardContent, nowSeconds: number): void;
  /** The shard was deleted, or someone else than a webhook wrote it. */
  lose(nowSeconds: number): void;
  /** The entry's decision was not answered. */
  withdraw(id: string): void;
  /** An object is stored like this, or was deleted. */
  see(event: WorkloadEvent): void;
}

/** The memory of a replica that has read nothing yet. `elapsedSeconds`: by a clock that is never set. */
export function createShardMemory(tell: TellEntry, elapsedSeconds: () => number): ShardMemory {
  const known = new Map<string, KnownEntry>();
  let serial = 0;
  let notBefore = 0;
  let lostUntil = 0;
  let isFirst = true;
  /** Whether entries went with the shard, and were not written again yet. */
  let isLost = false;
  /** Taken back, and perhaps still in the ledger. */
  const withdrawn = new Set<string>();

  const isDueAt = (one: KnownEntry, nowSeconds: number): boolean =>
    isDue(one, { nowSeconds, elapsedSeconds: elapsedSeconds() });

  function add(entry: LedgerEntry, origin: object | null): void {
    if (known.has(entry.id) || withdrawn.has(entry.id)) return;
    const number = tell(entry.id, entry);
    known.set(entry.id, { entry, origin, number, seenAt: null, learntAt: elapsedSeconds() });
  }

  /** Entries that the content lacks: those that went with a lost shard are written again, the others were taken back or are due. */
  function missing(present: ReadonlySet<string>, nowSeconds: number): void {
    for (const [id, one] of known) {
      if (present.has(id) || (isLost && !isDueAt(one, nowSeconds))) continue;
      known.delete(id);
      // No entry is due so early.
      if (one.seenAt === null && elapsedSeconds() <= one.learntAt + LIFE_SECONDS) tell(id, null);
    }
  }

  const lose = (nowSeconds: number): void => {
    lostUntil = nowSeconds + LIFE_SECONDS;
    // Other replicas notice a loss by a later time, also after one whose clock was ahead noticed an earlier loss.
    notBefore = Math.max(notBefore + 1, lostUntil);
    isLost = true;
  };

  return {
    known,
    serial: () => serial,
    lostUntil: () => lostUntil,
    isDirty: () => isLost || withdrawn.size > 0,
    next: (additions, nowSeconds) => ({
      serial: serial + 1,
      notBefore,
      entries: [
        ...withoutCovered([...known.values()].filter((one) => !isDueAt(one, nowSeconds))).map(({ entry }) => entry),
        ...additions,
      ],
    }),
    wrote(content, origins) {
      ({ serial } = content);
      [isLost, isFirst] = [false, false];
      withdrawn.clear();
      const present = new Set(content.entries.map(({ id }) => id));
      for (const id of known.keys()) if (!present.has(id)) known.delete(id);
      for (const entry of content.entries) add(entry, origins.get(entry.id) ?? null);
      // An event of the watch can be faster than the answer of the write.
      for (const [id, origin] of origins) {
        const one = known.get(id);
        if (one !== undefined) one.origin = origin;
      }
    },
    learn(content, nowSeconds) {
      const present = new Set(content.entries.map(({ id }) => id));
      if (content.notBefore > notBefore) {
        // Another replica noticed a loss, by its own clock. A new replica takes its time, the others wait for as long as entries last.
        const end = nowSeconds + LIFE_SECONDS;
        lostUntil = isFirst ? Math.min(content.notBefore, end) : end;
        isLost = [...known].some(([id, one]) => !present.has(id) && !isDueAt(one, nowSeconds));
      }
      missing(present, nowSeconds);
      for (const id of withdrawn) if (!present.has(id)) withdrawn.delete(id);
      for (const entry of content.entries) add(entry, null);
      serial = Math.max(serial, content.serial);
      notBefore = Math.max(notBefore, content.notBefore);
      isFirst = false;
    },
    lose,
    withdraw(id) {
      withdrawn.add(id);
      if (known.delete(id)) tell(id, null);
    },
    see({ key, workload, isOffer }) {
      // An offer was never claimed, and its object is not deleted.
      if (isOffer === true) return;
      for (const one of known.values()) {
        if (workload === null) {
          if (one.isItsOwn === true && one.seenAs === key) one.isGone = true;
        } else if (one.seenAt === null && isStoredAs(key, workload, one.entry)) {
          const { creates, workload: reserved } = one.entry;
          const isItsOwn = creates && reserved.decisionId !== undefined && reserved.decisionId === workload.decisionId;
          [one.seenAt, one.seenAs, one.isItsOwn] = [elapsedSeconds(), key, isItsOwn];
        }
      }
    },
  };
}
