import type { Decision, Denial } from "../../model/decision.ts";
import type { Kind } from "../../model/names.ts";
import type { PolicyResult } from "../../model/policy.ts";
import { startReason } from "../../model/decision-annotation/pause.ts";
import { formatTime } from "../../model/time.ts";
import {
  type PlaceKey,
  type WorkloadObject,
  type WorkloadRequest,
  WRITTEN_BY_KIND,
  type WrittenField,
} from "../../model/workload.ts";
import { checkPoolTypes } from "../check/check-cluster.ts";
import { checkObject } from "../check/check-object.ts";
import { checkSchedule } from "../check/check-times.ts";
import {
  type DecisionBody,
  degradations,
  emptyBody,
  finish,
  toPlacement,
  toScored,
  withRemedy,
} from "./decision-document.ts";
import { denial } from "../check/denial.ts";
import { forecastDegradations } from "./forecast-degradations.ts";
import { followAdvice } from "./follow-advice.ts";
import { placeWorkload } from "./place-workload.ts";
import { policyInput } from "./policy-input.ts";
import type { Question } from "../decision-request.ts";
import { readRequest } from "./read-request.ts";
import { staleDenials } from "../check/stale-bundles.ts";

/** How many of the best places a decision shows. */
const BEST = 5;
/** How many full places a denial names. */
const NAMED = 3;

/** The spec fields that admission fills: those that the policy names, that a placement has, and that the user left out. */
function writtenFields(object: WorkloadObject, result: PolicyResult, kind: Kind): WrittenField[] {
  const spec = object.spec ?? {};
  return WRITTEN_BY_KIND[kind].filter((field) => result.write.includes(field) && spec[field] === undefined);
}

/** How the policies, and then the budgets, narrowed the places down, without the best of them. */
function narrowed(result: PolicyResult, full: PlaceKey[] = []): DecisionBody["candidates"] {
  const { considered, candidates, funnel, rejected } = result;
  const eligible = candidates.length - full.length;
  if (full.length === 0) return { considered, eligible, funnel, rejected, best: [] };
  const text = `budgets: ${eligible === 0 ? "none remains" : `${String(eligible)} remain${eligible === 1 ? "s" : ""}`}`;
  return {
    considered,
    eligible,
    funnel: [...funnel, { rule: "budget", text, remaining: eligible }],
    rejected: { ...rejected, budget: full },
    best: [],
  };
}

/** Why no place remains: the policy's denials, the budgets, or a policy that removes every place without a word. */
function denialsOf(result: PolicyResult, full: PlaceKey[]): Denial[] {
  if (result.denials.length > 0) return result.denials.map(withRemedy);
  const places =
    full.slice(0, NAMED).join(", ") + (full.length > NAMED ? ` and ${String(full.length - NAMED)} more` : "");
  const entry =
    full.length > 0
      ? denial("PLACEMENT_BUDGET", { field: null }, { places })
      : denial("PLACEMENT_NONE", { field: null }, { noun: "workload" });
  return [entry];
}

function decided(question: Question, request: WorkloadRequest, result: PolicyResult): DecisionBody {
  const { ranked, full } =
    result.denials.length > 0 ? { ranked: [], full: [] } : placeWorkload(question, request, result);
  const advised = followAdvice(question, request, result, ranked);
  const [chosen] = advised.ranked;
  const candidates = narrowed(result, full);
  if (chosen === undefined)
    return { ...emptyBody(question, denialsOf(result, full)), warnings: result.warnings, candidates };
  const body = emptyBody(question, [], writtenFields(question.object, result, question.kind));
  body.allowed = true;
  body.warnings = result.warnings;
  body.placement = { ...toPlacement(question, request, result, chosen), scheduler: advised.scheduler };
  body.candidates = { ...candidates, best: advised.ranked.slice(0, BEST).map(toScored) };
  body.degraded = [
    ...body.degraded,
    ...degradations(chosen),
    ...forecastDegradations(question, request, result, advised.ranked),
  ];
  body.degraded.push(...advised.degraded);
  return body;
}

/** A user who wants it to start at once leaves the place open, but not the start. */
function startPin({ object, nowSeconds, started }: Question): Record<string, string> {
  return started === true || startReason(object) === null ? {} : { schedulingTime: formatTime(nowSeconds) };
}

/** The decision without remedies: what a question comes to, asked once. */
export function decideOnce(question: Question): Decision {
  const pinned = { ...question.object, spec: { ...question.object.spec, ...question.pins, ...startPin(question) } };
  // Types that an earlier decision fixed need not be there for a new pool; types that the user fixed do.
  const wrong = [...checkObject(question.kind, pinned), ...checkPoolTypes(question.object.spec ?? {})];
  if (wrong.length > 0) return finish(emptyBody(question, wrong));
  const request = readRequest(question.kind, pinned);
  const late = checkSchedule(pinned, request, question.nowSeconds, question.started ?? false);
  if (late.length > 0) return finish(emptyBody(question, late));
  const stale = staleDenials(question);
  if (stale.length > 0) return finish(emptyBody(question, stale));
  const result = question.policy.evaluate(policyInput({ ...question, object: pinned, request }));
  return finish(decided(question, request, result));
}
