import type { Decision, Placement } from "../model/decision.ts";
import type { WrittenField } from "../model/workload.ts";
import { decide } from "./decide.ts";
import { policyInput } from "./policy-input.ts";
import type { Question } from "./question.ts";
import { readRequest } from "./read-request.ts";

/** A place that an object has, and what else was decided with it. */
export interface Decided {
  placement: Pick<Placement, "provider" | "region" | "start">;
  /** The values that admission wrote. */
  values: Partial<Record<WrittenField, unknown>>;
}

/**
 * What today's bundle and forecasts say of the place and the start that an object has. Neither budgets nor its deadline take
 * them away.
 */
export function decideHere(question: Question, { placement, values }: Decided): Decision {
  const { provider, region, start } = placement;
  const pins = { ...values, provider, schedulingLocation: region, schedulingTime: start };
  return decide({ ...question, started: true, pins });
}

/** Share of the carbon that moving an allowed object has to save: the platform's setting, or what its policies make of it. */
export function minimumGain(question: Question): number {
  const request = readRequest(question.kind, question.object);
  return question.policy.evaluate(policyInput({ ...question, request })).schedule.minimumGain;
}
