import { describe } from "../errors.ts";
import type { Decision } from "../model/decision.ts";
import type { Kind } from "../model/names.ts";
import type { PolicyResult } from "../model/policy.ts";
import { WRITTEN_BY_KIND, type WorkloadRequest, type WrittenField } from "../model/workload.ts";
import { choosePlacement, type ScoredPlace } from "../placement/choose-placement.ts";
import { carbonCurves } from "./carbon-curves.ts";
import { checkPoolTypes } from "./check-cluster.ts";
import { checkObject } from "./check-object.ts";
import { checkSchedule } from "./check-times.ts";
import {
  type DecisionBody,
  degradations,
  emptyBody,
  finish,
  toPlacement,
  toScored,
  withRemedy,
} from "./decision-document.ts";
import { policyInput } from "./policy-input.ts";
import type { Question } from "./question.ts";
import { readRequest } from "./read-request.ts";
import type { WorkloadObject } from "./workload-object.ts";

/** How many of the best places a decision shows. */
const BEST = 5;

/** The spec fields that admission fills: those that the policy names, that a placement has, and that the user left out. */
function writtenFields(object: WorkloadObject, result: PolicyResult, kind: Kind): WrittenField[] {
  const spec = object.spec ?? {};
  return WRITTEN_BY_KIND[kind].filter((field) => result.write.includes(field) && spec[field] === undefined);
}

function place(question: Question, request: WorkloadRequest, result: PolicyResult): ScoredPlace[] {
  const { ranked } = choosePlacement({
    candidates: result.candidates,
    curves: carbonCurves(question.policy.catalog),
    power: question.policy.catalog.power,
    objective: result.objective,
    window: {
      now: question.now,
      durationSeconds: request.durationSeconds,
      deadline: question.started === true ? null : request.deadline,
      pinnedStart: request.pin.start,
      horizonSeconds: result.horizonSeconds,
    },
  });
  return ranked;
}

/** How the policies narrowed the places down, without the best of them. */
function narrowed(result: PolicyResult): DecisionBody["candidates"] {
  const { considered, candidates, funnel, rejected } = result;
  return { considered, eligible: candidates.length, funnel, rejected, best: [] };
}

function refused(question: Question, result: PolicyResult): DecisionBody {
  // A policy that removes every place without a word still owes the user one.
  const none = { code: "PLACEMENT_NONE", ...describe("PLACEMENT_NONE", { noun: "workload" }) };
  const silent = [{ ...none, field: null, actual: null, allowed: null }];
  const denials = result.denials.length > 0 ? result.denials.map(withRemedy) : silent;
  return { ...emptyBody(question, denials), warnings: result.warnings, candidates: narrowed(result) };
}

function decided(question: Question, request: WorkloadRequest, result: PolicyResult): DecisionBody {
  const ranked = result.denials.length > 0 ? [] : place(question, request, result);
  const [chosen] = ranked;
  if (chosen === undefined) return refused(question, result);
  const body = emptyBody(question, [], writtenFields(question.object, result, question.kind));
  body.allowed = true;
  body.warnings = result.warnings;
  body.placement = toPlacement(question, request, result, chosen);
  body.candidates = { ...narrowed(result), best: ranked.slice(0, BEST).map(toScored) };
  body.degraded = degradations(chosen);
  return body;
}

/** The decision without remedies: what a question comes to, asked once. */
export function decideOnce(question: Question): Decision {
  const pinned = { ...question.object, spec: { ...question.object.spec, ...question.pins } };
  // Types that an earlier decision fixed need not be there for a new pool; types that the user fixed do.
  const wrong = [...checkObject(question.kind, pinned), ...checkPoolTypes(question.object.spec ?? {})];
  if (wrong.length > 0) return finish(emptyBody(question, wrong));
  const request = readRequest(question.kind, pinned);
  const late = checkSchedule(pinned, request, question.now, question.started ?? false);
  if (late.length > 0) return finish(emptyBody(question, late));
  const result = question.policy.evaluate(policyInput({ ...question, object: pinned, request }));
  return finish(decided(question, request, result));
}
