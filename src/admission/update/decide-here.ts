import type { Decision, Placement } from "../../model/decision.ts";
import type { WrittenField } from "../../model/workload.ts";
import { decideAlone } from "../decide/decide.ts";
import { policyInput } from "../decide/policy-input.ts";
import type { DecisionRequest } from "../types.ts";
import { readRequest } from "../decide/read-request.ts";

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
  return decideAlone({ ...request, started: true, pending, pins });
}

/** Shares of the carbon that a change of an allowed object has to save: the platform's settings, or what its policies make of them. */
export function neededGains(request: DecisionRequest): { move: number; recreate: number } {
  const workload = readRequest(request.kind, request.object);
  const { minimumGain, recreateGain } = request.policy.evaluate(
    policyInput({ ...request, request: workload }),
  ).schedule;
  return { move: minimumGain, recreate: recreateGain ?? minimumGain };
}
