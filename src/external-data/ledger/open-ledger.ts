import type { KubeClient } from "../../cluster/client/create-client.ts";
import { createInformer } from "../../cluster/create-informer.ts";
import { LandfallError } from "../../errors.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import type { ClusterEvent } from "../cluster-data.ts";
import { type Claim, SHARDS, shardsOf } from "./ledger-entry.ts";
import type { ClaimResult } from "./choose-claims.ts";
import { claimInShards } from "./claim-in-shards.ts";
import { openShard, type ShardCounts } from "./open-shard.ts";
import { missingShards } from "./missing-shards.ts";
import { LIFE_SECONDS, SEEN_SECONDS } from "./shard-rules.ts";
import type { TellEntry } from "./shard-memory.ts";
import { ledgerPath, openShardStore, shardName } from "./shard-store.ts";

/** The reservations that all replicas of the webhook share: an object counts in quotas and budgets of all of them before it is admitted. */
export interface Ledger {
  /**
   * Writes what a decision takes. `again`: the decision lacks what another replica took, and has to be made again. `origin`: the process that
   * decided, and counts the decision itself. Rejects with ADM_LEDGER and ADM_LEDGER_LOST.
   */
  claim(claim: Claim, origin: object): Promise<ClaimResult>;
  /** Takes a claim back whose answer was not sent. */
  withdraw(claim: Claim): void;
  /** An event of the cluster: objects that are stored, and when the cluster was seen. */
  see(event: ClusterEvent): void;
  counts(): ShardCounts;
  stop(): void;
}

export interface LedgerOptions {
  client: KubeClient;
  /** Landfall's own namespace. */
  systemNamespace: string;
  keys: () => KeyRing;
  /** Receives `shared` events, for the processes that decide. */
  onEvent: (event: ClusterEvent) => void;
  onFailure: (thrown: unknown) => void;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  /** Seconds of a clock that is never set; the process's if omitted. */
  elapsedSeconds?: () => number;
}

const RELIST_SECONDS = 300;

/** Opens the ledger: reads its shards, makes those that are missing, and follows them. */
export function openLedger(options: LedgerOptions): Ledger {
  const { client, systemNamespace, keys, onEvent, onFailure, nowSeconds } = options;
  const { elapsedSeconds = () => performance.now() / 1000 } = options;
  let number = 0;
  /** When the cluster was seen, in elapsed seconds. */
  let seenAt = Number.NEGATIVE_INFINITY;
  const tell: TellEntry = (id, entry) => {
    number += 1;
    const until = nowSeconds() + LIFE_SECONDS;
    const reservation = entry && { key: entry.key, workload: entry.workload, creates: entry.creates, until };
    onEvent({ type: "shared", id, number, reservation });
    return number;
  };
  const names = Array.from({ length: SHARDS }, (_, index) => shardName(index));
  const shards = names.map((name) =>
    openShard({
      ...{ store: openShardStore(client, systemNamespace, name, keys), tell },
      ...{ nowSeconds, elapsedSeconds, onFailure },
    }),
  );
  const opened = Promise.all(shards.map((shard) => shard.read().catch(() => undefined))).then((found) => {
    const lost = missingShards(found, nowSeconds());
    for (const [index, shard] of shards.entries()) shard.open(lost.includes(index));
  });
  const informer = createInformer({
    ...{ client, path: ledgerPath(systemNamespace), relistSeconds: RELIST_SECONDS },
    keep: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
    onChange(before, present) {
      const index = names.indexOf((present ?? before)?.metadata.name ?? "");
      void opened.then(() => shards[index]?.hear(present));
    },
    onFailure: (thrown, failures) => {
      if (failures === 1) onFailure(thrown);
    },
  });

  return {
    async claim(claim, origin) {
      const age = elapsedSeconds() - seenAt;
      if (age > SEEN_SECONDS) {
        const detail = Number.isFinite(age)
          ? `the objects were last seen ${String(Math.round(age))} s ago`
          : "the objects have not been read yet";
        throw new LandfallError("ADM_LEDGER", { detail });
      }
      await opened;
      return claimInShards(
        shardsOf(claim).flatMap((index) => shards[index] ?? []),
        claim,
        origin,
      );
    },
    withdraw(claim) {
      for (const index of shardsOf(claim)) shards[index]?.withdraw(claim.id);
    },
    see(event) {
      if (event.type === "seen") seenAt = elapsedSeconds();
      if (event.type !== "workload") return;
      for (const shard of shards) shard.see(event);
    },
    counts() {
      const all = shards.map((shard) => shard.counts());
      const sum = (of: keyof ShardCounts): number => all.reduce((total, one) => total + one[of], 0);
      return { written: sum("written"), conflicts: sum("conflicts"), failed: sum("failed"), entries: sum("entries") };
    },
    stop() {
      informer.stop();
      for (const shard of shards) shard.stop();
    },
  };
}
