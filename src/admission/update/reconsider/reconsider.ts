import type { Decision, Placement } from "../../../model/decision.ts";
import type { CompactDecision } from "../../../model/decision-annotation/compact-decision.ts";
import type { WrittenField } from "../../../model/workload.ts";
import { checkAlone, decideWithoutRemedies } from "../../decide/decide.ts";
import { policyInput } from "../../decide/policy-input.ts";
import type { Allowed, DecisionRequest, Outcome, Unfinished } from "../../types.ts";
import { readRequest } from "../../check/read-request.ts";
import { bare, type Change } from "../change.ts";
import { withParts } from "../planned-parts.ts";
import { type MoveAnswer, moveBetween, withMove, worthMoving } from "./worth-moving.ts";
import { writeDecision, writing } from "../../respond/write-decision.ts";

/** A place that an object has, and what else was decided with it. */
export interface Decided {
  placement: Pick<Placement, "provider" | "region" | "start">;
  /** The values that admission wrote. */
  values: Partial<Record<WrittenField, unknown>>;
  /** Whether it waits for its start. */
  pending: boolean;
}

/**
 * The figures of an object's place and start by the current bundle and forecasts. Neither budgets nor its deadline take
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

/** The decision of an object that waits for its start, and the values that admission wrote. */
export interface Given {
  earlier: Pick<CompactDecision, "placement" | "moves">;
  values: Decided["values"];
}

/** Whether an object that waits for its start is better moved, and what the current forecasts say of what it has. */
export function weighMove(
  request: DecisionRequest,
  again: Placement,
  { earlier, values }: Given,
): MoveAnswer & { here: Decision } {
  const { placement, moves = [] } = earlier;
  const here = withParts(request, decideHere(request, { placement, values, pending: true }), placement);
  const minimumGain = neededGains(request).move;
  return { here, ...worthMoving({ here, again, minimumGain, moves, nowSeconds: request.nowSeconds }) };
}

export const stays = (text: string): Allowed => ({
  allowed: true,
  patch: [],
  warnings: [`${text} [STAYS]`],
  decision: null,
});

/**
 * `landfall.dev/reevaluate: if-better`: decides an object that waits for its start again, by the same code as at first, and
 * moves it only where that pays.
 */
export function reconsider(change: Change): Outcome | Unfinished {
  const { update, context, earlier } = change;
  const request: DecisionRequest = { ...context, kind: update.kind, object: bare(change), operation: "UPDATE" };
  const step = decideWithoutRemedies(request);
  if (step.state !== "decided") return step;
  const again = step.decision;
  if (again.placement === null) return stays("today no place would be found for it, so it keeps the one that it has");
  const { move, gain, text, here } = weighMove(request, again.placement, change);
  if (move === null) return stays(text);
  const from = here.placement ?? earlier.placement;
  const made = moveBetween(from, again.placement, context.nowSeconds, { gain, why: move });
  const decision = { ...again, warnings: [...again.warnings, { code: "MOVED", message: text }] };
  const decided = { object: update.object, decision, heldBack: true, moves: withMove(earlier.moves, made) };
  return writeDecision({ ...writing(context), ...decided });
}
