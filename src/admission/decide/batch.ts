import type { ScheduleLimits } from "../../model/policy.ts";
import { choosePlacement, type PlacementAnswer, type ScoredPlace } from "../../placement/choose-placement.ts";
import { followPlan } from "../../placement/follow-plan.ts";
import type { BatchItem } from "../../placement/batch-member.ts";

/**
 * One object's part in a batch. Only where budgets hold does one object's place depend on the others': then what it asks is
 * noted here, its decision is thrown away, and made again once all are placed together.
 */
export interface Together {
  /** What it asked; null where it needs no batch. */
  item: BatchItem | null;
  /** How long it waits for others. */
  waitMs: number;
  /** When it was asked, in seconds since 1970: the wait takes nothing of its slack. */
  nowSeconds: number;
  /** What the batch came to for it; null: nothing. Undefined before that. */
  plan: ScoredPlace | null | undefined;
}

/** An object that nobody has asked about yet. */
export const newTogether = (nowSeconds: number): Together => ({ item: null, waitMs: 0, nowSeconds, plan: undefined });

/** Whether its decision has to be made again when the others have come. */
export const isGathered = ({ item, plan }: Together): boolean => item !== null && plan === undefined;

/** The answer for one of a batch: its plan first, where it still has room; alone where there is none. */
export function placeTogether(together: Together, item: BatchItem, limits: ScheduleLimits): PlacementAnswer {
  const { gatherMilliseconds = 0 } = limits;
  const { plan } = together;
  if (plan !== undefined && plan !== null) return followPlan(item.question, plan);
  if (together.item === null && plan === undefined && gatherMilliseconds > 0) {
    together.item = item;
    together.waitMs = gatherMilliseconds;
  }
  return choosePlacement(item.question);
}
