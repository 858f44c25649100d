import { setTimeout as sleep } from "node:timers/promises";
import { hasStatus } from "../../cluster/client/api-error.ts";
import { LandfallError, messageOf } from "../../errors.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { WorkloadEvent } from "../run-index.ts";
import { chooseClaims, takeTurns, type ClaimResult, type Waiting } from "./choose-claims.ts";
import { followShard } from "./follow-shard.ts";
import { type Claim, entryFor } from "./ledger-entry.ts";
import { createShardMemory, type TellEntry } from "./shard-memory.ts";
import { shareEntries } from "./share-entries.ts";
import type { ShardStore } from "./shard-store.ts";

export interface ShardCounts {
  written: number;
  conflicts: number;
  failed: number;
  /** Admitted objects that this replica knows of. */
  entries: number;
}

export interface Shard {
  /** Writes the claim, together with those that wait. `origin`: the process that decided it. Rejects with ADM_LEDGER and ADM_LEDGER_LOST. */
  claim(claim: Claim, origin: object): Promise<ClaimResult>;
  /** The decision was not answered, and does not count any more. */
  withdraw(id: string): void;
  /** An event of the watch; null: the object was deleted. */
  hear(object: Resource | null): void;
  /** An object is stored like this, or was deleted. */
  see(event: WorkloadEvent): void;
  /** Reads the shard: when it was made, in seconds since 1970; null if there is none. Rejects with REL_API…. */
  read(): Promise<number | null>;
  /** Makes the shard if there is none. `isLost`: there was one, whose entries are lost. */
  open(isLost: boolean): void;
  counts(): ShardCounts;
  stop(): void;
}

export interface ShardOptions {
  store: ShardStore;
  tell: TellEntry;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  /** Seconds of a clock that is never set; the process's if omitted. */
  elapsedSeconds?: () => number;
  onFailure: (thrown: unknown) => void;
}

/** Most claims of one write. */
const MOST_CLAIMS = 64;
/** After a failure, in ms; doubled with each. */
const PAUSE_MS = { first: 25, most: 2000 } as const;
/** After so many failures in a row, one claim at a time tries, and the others are refused immediately: they would wait in vain. */
const BREAK_AFTER = 4;

/** One shard of the ledger: one write at a time, with all that waits for it. A conflict reads it again. */
export function openShard(options: ShardOptions): Shard {
  const { store, tell, nowSeconds, elapsedSeconds = () => performance.now() / 1000, onFailure } = options;
  const memory = createShardMemory(tell, elapsedSeconds);
  const object = followShard(store, memory, nowSeconds);
  const counts = { written: 0, conflicts: 0, failed: 0 };
  /** Entries of writes that failed, and may have reached the API server. */
  const doubtful = new Set<string>();
  /** Events of the watch during a write: its answer may be newer. */
  const heard: (Resource | null)[] = [];
  let waiting: Waiting[] = [];
  let [isAtWork, stopped] = [false, false];
  let lastFailure = "it has not been read yet";
  let pauseMs: number = PAUSE_MS.first;
  /** Since the last write that succeeded; conflicts are none. */
  let failures = 0;

  const refusal = (): LandfallError => new LandfallError("ADM_LEDGER", { detail: lastFailure });
  const isUnwritten = (): boolean => !object.exists() || memory.isDirty();
  const isWaitedFor = (): boolean => waiting.some(({ gone }) => !gone);
  const hasWork = (): boolean => isWaitedFor() || !object.isRead() || isUnwritten();

  async function write(): Promise<void> {
    const now = nowSeconds();
    const { taken, rest } = takeTurns(waiting, MOST_CLAIMS);
    const { chosen: fitting, later } = chooseClaims(taken, memory, now);
    waiting = [...rest, ...later];
    const { entries } = memory.next([], now);
    const chosen = shareEntries(fitting, entries, now, () => {
      lastFailure = `it holds ${String(entries.length)} objects that are not settled yet`;
      return refusal();
    });
    if (chosen.length === 0 && !isUnwritten()) return;
    const content = memory.next(
      chosen.map(({ claim }) => entryFor(claim, now)),
      now,
    );
    try {
      await object.write(content, new Map(chosen.map(({ claim, origin }) => [claim.id, origin])));
    } catch (thrown) {
      for (const { claim } of chosen) doubtful.add(claim.id);
      waiting.unshift(...chosen);
      throw thrown;
    }
    counts.written += 1;
    failures = 0;
    // No earlier write can reach the API server any more.
    doubtful.clear();
    for (const one of chosen) {
      if (one.gone) memory.withdraw(one.claim.id);
      else one.settle("taken");
    }
  }

  async function failed(thrown: unknown): Promise<void> {
    object.forget();
    // Without an object and without its kind, a new one cannot be made (404).
    if (hasStatus(thrown, 409) || (hasStatus(thrown, 404) && object.exists())) {
      counts.conflicts += 1;
      return;
    }
    counts.failed += 1;
    failures += 1;
    lastFailure = messageOf(thrown);
    if (pauseMs === PAUSE_MS.first) onFailure(thrown);
    await sleep(pauseMs, undefined, { ref: false });
    pauseMs = Math.min(PAUSE_MS.most, 2 * pauseMs);
  }

  async function round(): Promise<void> {
    try {
      if (!object.isRead()) await object.read();
      await write();
      pauseMs = PAUSE_MS.first;
    } catch (thrown) {
      await failed(thrown);
    }
    for (const event of heard.splice(0)) object.hear(event);
  }

  async function work(): Promise<void> {
    if (isAtWork) return;
    isAtWork = true;
    while (!stopped && hasWork()) await round();
    waiting = waiting.filter(({ gone }) => !gone);
    isAtWork = false;
  }

  return {
    claim: (claim, origin) =>
      new Promise((resolve, reject) => {
        if (failures >= BREAK_AFTER && isWaitedFor()) {
          reject(refusal());
          return;
        }
        const settle: Waiting["settle"] = (result) => {
          clearTimeout(timer);
          one.gone = true;
          if (result instanceof LandfallError) reject(result);
          else resolve(result);
        };
        const one: Waiting = { claim, origin, settle, gone: false };
        const timer = setTimeout(() => settle(refusal()), Math.max(0, claim.untilMs - Date.now()));
        waiting.push(one);
        void work();
      }),
    withdraw(id) {
      if (memory.known.has(id) || doubtful.has(id)) memory.withdraw(id);
      void work();
    },
    hear(event) {
      if (isAtWork) heard.push(event);
      else object.hear(event);
      void work();
    },
    see: (event) => memory.see(event),
    read: () => object.read(),
    open(isLost) {
      if (isLost) memory.lose(nowSeconds());
      void work();
    },
    counts: () => ({ ...counts, entries: memory.known.size }),
    stop() {
      stopped = true;
      for (const { settle } of waiting) settle(refusal());
    },
  };
}
