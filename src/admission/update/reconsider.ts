import { bare, type Change, waits } from "./change.ts";
import { decide } from "../decide/decide.ts";
import { decideHere, neededGains } from "./decide-here.ts";
import { moveBetween, withMove } from "./moves.ts";
import type { Allowed, DecisionRequest, Outcome, Unfinished } from "../types.ts";
import { worthMoving } from "./worth-moving.ts";
import { writeDecision, writing } from "../respond/write-decision.ts";

const stays = (text: string): Allowed => ({
  allowed: true,
  patch: [],
  warnings: [`${text} [STAYS]`],
  decision: null,
});

/**
 * `landfall.dev/reevaluate: if-better`: decides an object that waits for its start anew, by the same code as at first, and
 * moves it only where that pays. One that has started stays, whatever is better by now.
 */
export function reconsider(change: Change): Outcome | Unfinished {
  const { update, context, earlier } = change;
  if (!waits(change))
    return stays("its start has come, so it is not moved: the PlacementReport says what would be better");
  const request: DecisionRequest = { ...context, kind: update.kind, object: bare(change), operation: "UPDATE" };
  const step = decide(request);
  if (step.state !== "decided") return step;
  const anew = step.decision;
  if (anew.placement === null) return stays("today no place would be found for it, so it keeps the one that it has");
  const here = decideHere(request, { placement: earlier.placement, values: change.values, pending: true });
  const { nowSeconds } = context;
  const moves = earlier.moves ?? [];
  const asked = { here, anew: anew.placement, minimumGain: neededGains(request).move, moves, nowSeconds };
  const { move, gain, text } = worthMoving(asked);
  if (move === null) return stays(text);
  const made = moveBetween(here.placement ?? earlier.placement, anew.placement, nowSeconds, { gain, why: move });
  const decision = { ...anew, warnings: [...anew.warnings, { code: "MOVED", message: text }] };
  const decided = { object: update.object, decision, heldBack: true, moves: withMove(moves, made) };
  return writeDecision({ ...writing(context), ...decided });
}
