import type { Decision, Placement } from "../../model/decision.ts";
import type { WrittenField } from "../../model/workload.ts";
import { checkAlone, decideWithoutRemedies } from "../decide/decide.ts";
import { policyInput } from "../decide/policy-input.ts";
import type { Allowed, DecisionRequest, Outcome, Unfinished } from "../types.ts";
import { readRequest } from "../check/read-request.ts";
import { bare, type Change, waits } from "./change.ts";
import { withParts } from "./planned-parts.ts";
import { moveBetween, withMove, worthMoving } from "./worth-moving.ts";
import { writeDecision, writing } from "../respond/write-decision.ts";

/** A place that an object has, and what else was decided with it. */
export interface Decided {
  placement: Pick<Placement, "provider" | "region" | "start">;
  /** The values that admission wrote. */
  values: Partial<Record<WrittenField, unknown>>;
  /** Whether it waits for its start. */
  pending: boolean;
}

/**
 * What today's bundle and forecasts say of the place and the start that an object has. Neither budgets nor its deadline take
 * them away. `pending`: it waits for that start.
 */
export function decideHere(request: DecisionRequest, { placement, values, pending }: Decided): Decision {
  const { provider, region, start } = placement;
  const pins = { ...values, provider, schedulingLocation: region, schedulingTime: start };
  return checkAlone({ ...request, started: true, pending, pins });
}

/** Shares of the carbon that a change of an allowed object has to save: the platform's settings, or what its policies make of them. */
export function neededGains(request: DecisionRequest): { move: number; recreate: number } {
  const workload = readRequest(request.kind, request.object);
  const { minimumGain, recreateGain } = request.policy.evaluate(
    policyInput({ ...request, request: workload }),
  ).schedule;
  return { move: minimumGain, recreate: recreateGain ?? minimumGain };
}

const stays = (text: string): Allowed => ({
  allowed: true,
  patch: [],
  warnings: [`${text} [STAYS]`],
  decision: null,
});

/**
 * `landfall.dev/reevaluate: if-better`: decides an object that waits for its start again, by the same code as at first, and
 * moves it only where that pays. One that has started stays, whatever is better by now.
 */
export function reconsider(change: Change): Outcome | Unfinished {
  const { update, context, earlier } = change;
  if (!waits(change))
    return stays("its start has come, so it is not moved: the PlacementReport says what would be better");
  const request: DecisionRequest = { ...context, kind: update.kind, object: bare(change), operation: "UPDATE" };
  const step = decideWithoutRemedies(request);
  if (step.state !== "decided") return step;
  const again = step.decision;
  if (again.placement === null) return stays("today no place would be found for it, so it keeps the one that it has");
  const planned = decideHere(request, { placement: earlier.placement, values: change.values, pending: true });
  const here = withParts(request, planned, earlier.placement);
  const { nowSeconds } = context;
  const moves = earlier.moves ?? [];
  const asked = { here, again: again.placement, minimumGain: neededGains(request).move, moves, nowSeconds };
  const { move, gain, text } = worthMoving(asked);
  if (move === null) return stays(text);
  const made = moveBetween(here.placement ?? earlier.placement, again.placement, nowSeconds, { gain, why: move });
  const decision = { ...again, warnings: [...again.warnings, { code: "MOVED", message: text }] };
  const decided = { object: update.object, decision, heldBack: true, moves: withMove(moves, made) };
  return writeDecision({ ...writing(context), ...decided });
}
