import { LandfallError } from "../../errors.ts";
import type { Waiting } from "./choose-claims.ts";
import type { LedgerEntry } from "./ledger-entry.ts";
import { MOST_ENTRIES } from "./shard-rules.ts";

/** Entries of one namespace in a shard. */
export const MOST_OF_NAMESPACE = MOST_ENTRIES / 2;
/** In a full shard, namespaces with less than their share have so many entries more. */
const RESERVE = MOST_ENTRIES / 4;

/** Why a namespace gets no further entry: `own`, it has its share; `shard`, the shard is full for everyone; null if it gets one. */
function fullness(total: number, own: number, namespaces: number): "own" | "shard" | null {
  if (own >= MOST_OF_NAMESPACE) return "own";
  if (total < MOST_ENTRIES) return null;
  if (own >= MOST_ENTRIES / namespaces) return "own";
  return total < MOST_ENTRIES + RESERVE ? null : "shard";
}

/**
 * The claims for which a shard with these entries has capacity. A namespace has at most half of it, and when it is full only those get more
 * that have less than an equal share. Refuses the others: with `refusal` if the shard is full for everyone, otherwise with ADM_BUSY.
 */
export function shareEntries(
  claims: readonly Waiting[],
  entries: readonly LedgerEntry[],
  refusal: (entries: number) => LandfallError,
): Waiting[] {
  const counts = new Map<string, number>();
  const add = (namespace: string): void => void counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  for (const { workload } of entries) add(workload.namespace);
  let total = entries.length;
  return claims.filter(({ claim, settle }) => {
    const { namespace } = claim.workload;
    const own = counts.get(namespace) ?? 0;
    const full = fullness(total, own, counts.size + (own === 0 ? 1 : 0));
    if (full !== null) {
      settle(full === "own" ? new LandfallError("ADM_BUSY", { scope: `of namespace ${namespace}` }) : refusal(total));
      return false;
    }
    add(namespace);
    total += 1;
    return true;
  });
}
