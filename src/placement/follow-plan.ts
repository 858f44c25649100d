import { WEEK_SECONDS } from "../model/time.ts";
import { choosePlacement, type PlacementAnswer, type ScoredPlace } from "./choose-placement.ts";
import type { PlacementQuestion } from "./placement-question.ts";
import { headroom } from "./headroom.ts";

/** Whether the plan's machine is still offered there and its budget leaves it room. */
function fits({ candidates, window, load, budgets }: PlacementQuestion, { candidate, start }: ScoredPlace): boolean {
  const { place, instanceType } = candidate;
  if (!candidates.some((one) => one.place === place && one.instanceType === instanceType)) return false;
  if (budgets === undefined) return true;
  const starts = { first: start, grid: start, count: 0 };
  const seconds = window.durationSeconds ?? WEEK_SECONDS;
  return headroom({ candidate, starts, seconds, load, budgets }).factorAt(0) < Number.POSITIVE_INFINITY;
}

/** The places as `choosePlacement` has them, the planned one at its planned start in front; as they are where that has no room any more. */
export function followPlan(question: PlacementQuestion, plan: ScoredPlace): PlacementAnswer {
  const own = choosePlacement(question);
  if (!fits(question, plan)) return own;
  const { place } = plan.candidate;
  return {
    ranked: [plan, ...own.ranked.filter(({ candidate }) => candidate.place !== place)],
    full: own.full.filter((one) => one !== place),
  };
}
