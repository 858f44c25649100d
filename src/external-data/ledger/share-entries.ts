import { LandfallError } from "../../errors.ts";
import type { Waiting } from "./choose-claims.ts";
import { bytesOf } from "./entry-line.ts";
import { entryFor, type LedgerEntry } from "./ledger-entry.ts";
import { MOST_BYTES } from "./shard-rules.ts";

/** Bytes of one namespace in a shard. */
const MOST_OF_NAMESPACE = MOST_BYTES / 2;
/** In a full shard, namespaces with less than their share have so many bytes more. */
const RESERVE = MOST_BYTES / 4;

/** Why a namespace gets no further entry: `own`, it has its share; `shard`, the shard is full for everyone; null if it gets one. In bytes. */
function fullness(total: number, own: number, namespaces: number): "own" | "shard" | null {
  if (own >= MOST_OF_NAMESPACE) return "own";
  if (total < MOST_BYTES) return null;
  if (own >= MOST_BYTES / namespaces) return "own";
  return total < MOST_BYTES + RESERVE ? null : "shard";
}

/**
 * The claims for which a shard with these entries has capacity. A namespace has at most half of it, and when it is full only those get more
 * that have less than an equal share. Refuses the others: with `refusal` if the shard is full for everyone, otherwise with ADM_BUSY.
 */
export function shareEntries(
  claims: readonly Waiting[],
  entries: readonly LedgerEntry[],
  nowSeconds: number,
  refusal: () => LandfallError,
): Waiting[] {
  const taken = new Map<string, number>();
  let total = 0;
  const add = (entry: LedgerEntry): void => {
    const { namespace } = entry.workload;
    const bytes = bytesOf(entry);
    taken.set(namespace, (taken.get(namespace) ?? 0) + bytes);
    total += bytes;
  };
  for (const entry of entries) add(entry);
  return claims.filter(({ claim, settle }) => {
    const { namespace } = claim.workload;
    const own = taken.get(namespace) ?? 0;
    const full = fullness(total, own, taken.size + (own === 0 ? 1 : 0));
    if (full !== null) {
      settle(full === "own" ? new LandfallError("ADM_BUSY", { scope: `of namespace ${namespace}` }) : refusal());
      return false;
    }
    add(entryFor(claim, nowSeconds));
    return true;
  });
}
