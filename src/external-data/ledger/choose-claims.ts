import { LandfallError } from "../../errors.ts";
import { formatTime } from "../../model/time.ts";
import { type Claim, interferes } from "./ledger-entry.ts";
import type { ShardMemory } from "./shard-memory.ts";
import { isOutdated } from "./shard-rules.ts";

/** `again`: another replica took of the same limit, so the decision has to be made again. */
export type ClaimResult = "taken" | "again";

/** A claim that is not answered yet. */
export interface Waiting {
  claim: Claim;
  /** The process that decided it. */
  origin: object;
  settle: (result: ClaimResult | LandfallError) => void;
  /** It was settled. */
  gone: boolean;
}

/** The next claims of those that still wait, and the rest. One of each namespace in turn, so that many of one do not hold up another one's. */
export function takeTurns(waiting: readonly Waiting[], most: number): { taken: Waiting[]; rest: Waiting[] } {
  const turns = new Map<string, number>();
  const open = waiting.filter(({ gone }) => !gone);
  const ranked = open.map((one) => {
    const { namespace } = one.claim.workload;
    const turn = turns.get(namespace) ?? 0;
    turns.set(namespace, turn + 1);
    return { one, turn };
  });
  const inTurn = ranked.toSorted((one, other) => one.turn - other.turn).map(({ one }) => one);
  const taken = new Set(inTurn.slice(0, most));
  return { taken: [...taken], rest: open.filter((one) => !taken.has(one)) };
}

/** Settles the claims that need no write, and divides the others into those of the next write and those of a later one. */
export function chooseClaims(
  claims: readonly Waiting[],
  memory: Pick<ShardMemory, "known" | "lostUntil">,
  nowSeconds: number,
): { chosen: Waiting[]; later: Waiting[] } {
  const chosen: Waiting[] = [];
  const later: Waiting[] = [];
  for (const one of claims) {
    const { claim, origin } = one;
    if (one.gone) continue;
    if (memory.known.has(claim.id)) one.settle("taken");
    else if (memory.lostUntil() > nowSeconds)
      one.settle(new LandfallError("ADM_LEDGER_LOST", { until: formatTime(memory.lostUntil()) }));
    else if (isOutdated(claim, origin, memory.known.values())) one.settle("again");
    else if (chosen.some((other) => other.origin !== origin && interferes(other.claim, claim))) later.push(one);
    else chosen.push(one);
  }
  return { chosen, later };
}
