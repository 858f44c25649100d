import type { ClaimResult } from "./choose-claims.ts";
import type { Claim } from "./ledger-entry.ts";
import type { Shard } from "./open-shard.ts";

/** The result of a claim that all these shards have to hold. If one does not take it, it is taken back from the others. */
export async function claimInShards(shards: readonly Shard[], claim: Claim, origin: object): Promise<ClaimResult> {
  const results = await Promise.allSettled(shards.map((shard) => shard.claim(claim, origin)));
  const refused = results.find((result) => result.status === "rejected");
  const isTaken = results.every((result) => result.status === "fulfilled" && result.value === "taken");
  if (!isTaken) for (const shard of shards) shard.withdraw(claim.id);
  if (refused !== undefined) throw refused.reason;
  return isTaken ? "taken" : "again";
}
