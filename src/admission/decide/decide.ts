import { comparing } from "../../model/text/nearest.ts";
import { LandfallError } from "../../errors.ts";
import { startReason } from "../../model/decision-annotation/pause.ts";
import type { Decision, Denial } from "../../model/decision.ts";
import type { PolicyResult } from "../../model/policy.ts";
import { formatTime } from "../../model/time.ts";
import type { PlaceKey, WorkloadRequest } from "../../model/workload.ts";
import { denial } from "../check/denial.ts";
import type { DecisionRequest, DecisionStep } from "../types.ts";
// The stages of a decision, in their order.
import { checkObject, checkShape } from "../check/check-object.ts";
import { checkPoolTypes } from "../check/check-cluster.ts";
import { checkRun } from "../check/check-metadata.ts";
import { readRequest } from "../check/read-request.ts";
import { checkSchedule } from "../check/check-times.ts";
import { staleDenials } from "../check/stale-bundles.ts";
import { besideLeft } from "./left-behind.ts";
import { withInstalled } from "./with-installed.ts";
import { policyInput } from "./policy-input.ts";
import { beyondDefault, elsewhere, refusedByAws, withinDefault, withoutAws } from "./narrow-places.ts";
import { lateDenial, withinBoot } from "./boot-time.ts";
import { placeAlone, placeWorkload } from "./place-workload.ts";
import { placeRunning } from "./added-load.ts";
import type { PlacementAnswer } from "../../placement/choose-placement.ts";
import { followAdvice } from "./follow-advice.ts";
import { ofPlace, warningsOf } from "./warnings/warnings.ts";
import { degradations, toPlacement, toScored } from "./describe-placement.ts";
import { forecastDegradations } from "./forecast-degradations.ts";
import { type DecisionBody, emptyBody, finish, narrowed, summarise, writtenFields } from "./decision-document.ts";
import { stopRemedies } from "./stop-remedy.ts";
import { withRemedy } from "./with-remedy.ts";
import { withValues } from "./with-values.ts";
import { toldTogether } from "./told-together.ts";
import { withSettings } from "../remedy/name-settings.ts";
import { withGpuTypes } from "../remedy/gpu-types.ts";
import { sizesOf } from "../remedy/type-sizes.ts";
import { findRemedies } from "../remedy/find-remedies.ts";
import { fillTemplates } from "../respond/denial-text.ts";

type Fields = Record<string, unknown>;

/** How many of the best places a decision shows. */
const BEST = 5;

/** Why no place remains: the policy's denials, the budgets, or a policy that removes every place without a denial. */
function denialsOf(request: DecisionRequest, result: PolicyResult, full: PlaceKey[]): Denial[] {
  const { object } = request;
  if (result.denials.length > 0) return stopRemedies(object.spec ?? {}, result.denials.map(withRemedy));
  // Others fill the places: only the one that the object asks for, or runs in, is its own matter.
  const asked = (request.running ?? object.spec?.["schedulingLocation"]) !== undefined && full.length === 1;
  const places = asked ? full.join() : "any place that its limits allow";
  const entry =
    full.length > 0
      ? denial("PLACEMENT_BUDGET", { field: null }, { places })
      : denial("PLACEMENT_NONE", { field: null }, { noun: "workload" });
  return [entry];
}

/** Chooses place and start among the policy's candidates; a denial if there are none. */
function choose(request: DecisionRequest, workload: WorkloadRequest, given: PolicyResult): DecisionStep {
  if (given.denials.length > 0) return chooseAmong(request, workload, given, { ranked: [], full: [] });
  const timely = withinBoot(request, workload, given);
  if (timely.candidates.length === 0 && given.candidates.length > 0) return denyLate(request, workload, given, timely);
  const near = withinDefault(timely);
  const [place, alone] = request.running === undefined ? [placeWorkload, placeAlone] : [placeRunning, placeRunning];
  const placed = place(request, workload, near);
  if ("state" in placed) return placed;
  if (placed.ranked.length > 0 || near.candidates.length === timely.candidates.length)
    return chooseAmong(request, workload, near, placed);
  // Budgets fill what is within the default limit of latency.
  return chooseAmong(request, workload, beyondDefault(timely), alone(request, workload, timely));
}

/** No place is ready early enough for the deadline. */
function denyLate(
  request: DecisionRequest,
  workload: WorkloadRequest,
  { candidates: allowed, warnings }: PolicyResult,
  timely: PolicyResult,
): DecisionStep {
  const late = lateDenial(request, workload, allowed);
  return decided({ ...emptyBody(request, [late]), warnings, candidates: narrowed(timely) });
}

function chooseAmong(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  placed: PlacementAnswer,
): DecisionStep {
  const advised = followAdvice(request, workload, result, placed.ranked);
  if ("state" in advised) return advised;
  const [chosen] = advised.ranked;
  const candidates = narrowed(result, placed.full);
  if (chosen === undefined)
    return decided({
      ...emptyBody(request, denialsOf(request, result, placed.full)),
      warnings: result.warnings,
      candidates,
    });
  const body = emptyBody(request, [], writtenFields(request.object, result, request.kind));
  const placement = { ...toPlacement(request, workload, result, chosen), scheduler: advised.scheduler };
  const told = result.schedule.tellDecision !== false;
  const forecasts = forecastDegradations(request, workload, result, advised.ranked);
  return decided({
    ...body,
    allowed: true,
    warnings: [...ofPlace(result.warnings, chosen), ...warningsOf(request, workload, result, chosen)],
    placement,
    candidates: { ...candidates, best: advised.ranked.slice(0, BEST).map(toScored) },
    degraded: [...body.degraded, ...degradations(chosen), ...forecasts, ...advised.degraded],
    ...(told ? { summary: summarise(placement, request.nowSeconds, request.object.spec) } : {}),
  });
}

const decided = (body: DecisionBody): DecisionStep => ({ state: "decided", decision: finish(body) });

/** Removes AWS where it cannot have the cluster's networks or the machine's rules: a denial only if no other place is left. */
function fit(request: DecisionRequest, workload: WorkloadRequest, result: PolicyResult, spec: Fields): DecisionStep {
  const refused = refusedByAws(request, spec);
  const fitting = refused === null ? result : withoutAws(result, request.kind);
  return refused === null || fitting.candidates.length > 0 || result.candidates.length === 0
    ? choose(request, workload, fitting)
    : decided({ ...emptyBody(request, [refused]), warnings: result.warnings, candidates: narrowed(fitting) });
}

/** A request for an immediate start fixes the start, but not the place. */
function startPin({ object, nowSeconds, started }: DecisionRequest): Record<string, string> {
  return started === true || startReason(object) === null ? {} : { schedulingTime: formatTime(nowSeconds) };
}

/** A decision without a search for remedies, and without the names that an object may mean: the search reads neither. */
function decideOnce(request: DecisionRequest): DecisionStep {
  const misshapen = checkShape(request.kind, request.object);
  if (misshapen.length > 0)
    return decided(emptyBody({ ...request, object: { ...request.object, spec: {} } }, misshapen));
  const pinned = { ...request.object, spec: { ...request.object.spec, ...request.pins, ...startPin(request) } };
  // Types fixed by an earlier decision need not cover a new pool; types that the user fixed must.
  const wrong = [
    ...checkObject(request.kind, pinned, sizesOf(request)),
    ...checkPoolTypes(request.object.spec ?? {}),
    ...(request.operation === "CREATE" ? checkRun(request.object) : []),
  ];
  if (wrong.length > 0) return decided(emptyBody(request, wrong));
  const workload = withInstalled(readRequest(request.kind, pinned), request);
  const late = checkSchedule(pinned, workload, request);
  if (late.length > 0) return decided(emptyBody(request, late));
  const stale = staleDenials(request);
  if (stale.length > 0) return decided(emptyBody(request, stale));
  const result = request.policy.evaluate(policyInput(besideLeft({ ...request, object: pinned, request: workload })));
  return fit(request, workload, elsewhere(result, request.elsewhere), pinned.spec);
}

/** The decision of a request without advice and without a batch. */
function finished(step: DecisionStep): Decision {
  if (step.state === "decided") return step.decision;
  throw new LandfallError("ADM_INTERNAL", { detail: `a decision without advice and batch ended with ${step.state}` });
}

/** Adds the names that the object or its namespace may mean, times and sizes. A name takes longer than a decision: the search omits it. */
function withNames(request: DecisionRequest, denied: Decision): Decision {
  const named = denied.denials.map((entry) => withValues(request, entry));
  const denials = withSettings(request, named);
  if (denials.every((entry, index) => entry === denied.denials[index])) return denied;
  const { id: _id, ...body } = denied;
  return finish({ ...body, denials });
}

/** Adds a change that passes to the first denial; only denials need the search. */
function withRemedies(request: DecisionRequest, denied: Decision): Decision {
  const [first, ...others] = denied.denials;
  const remedies = findRemedies(request, denied, (changed) => finished(decideOnce(changed)));
  const [best] = remedies;
  if (first === undefined || best === undefined) return denied;
  const remedy = remedies.map(({ text }) => text).join(", or ");
  const { id: _id, ...body } = denied;
  return finish({ ...body, denials: [{ ...first, remedy, patch: best.patch }, ...others] });
}

/** Adds the machine types with the models of GPUs that the object names, and those of its other pools. */
function withGpus(request: DecisionRequest, denied: Decision): Decision {
  const denials = withGpuTypes(request, denied.denials, (changed) => finished(decideOnce(changed)));
  if (denials === denied.denials) return denied;
  const { id: _id, ...body } = denied;
  return finish({ ...body, denials: [...denials] });
}

/** Adds what is wrong with the object once the denied fields are corrected. */
function withLater(request: DecisionRequest, denied: Decision): Decision {
  const denials = toldTogether(request, denied, (corrected, search) => {
    const next = finished(decideOnce(corrected));
    if (next.allowed) return next;
    const named = withNames(corrected, next);
    return search ? withRemedies(corrected, named) : named;
  });
  if (denials === null) return denied;
  const { id: _id, ...body } = denied;
  return finish({ ...body, denials });
}

/** The search for remedies reads only codes and fields; templates are for people. */
function worded({ policy }: DecisionRequest, decision: Decision): Decision {
  if (policy.texts === null) return decision;
  const { denials, degraded } = fillTemplates(decision.denials, decision, policy.texts);
  const { id: _id, ...body } = decision;
  return finish({ ...body, denials, degraded: [...body.degraded, ...degraded] });
}

/** Names that are compared with what a user wrote, for one object: about 60 ms of work. Ten wrong machine types take half of it. */
const COMPARED_NAMES = 30_000;

/** One step, with what `advise` adds to a denial. */
const decidedWith = (request: DecisionRequest, advise: (denied: Decision) => Decision): DecisionStep =>
  comparing(COMPARED_NAMES, () => {
    const step = decideOnce(request);
    if (step.state !== "decided" || step.decision.allowed) return step;
    return { state: "decided", decision: worded(request, advise(step.decision)) };
  });

/**
 * One step towards the decision for an object: the decision, or what is needed to finish it (`request.ask` lists what
 * may be requested). The same for the webhook, `landfall explain` and the tests. Reads no clock and no network; the
 * same request gives the same decision, byte for byte.
 */
export function decide(request: DecisionRequest): DecisionStep {
  return decidedWith(request, (denied) =>
    withLater(request, withGpus(request, withRemedies(request, withNames(request, denied)))),
  );
}

/**
 * `decide` without a search for remedies, which takes up to a hundred times as long as the decision: for callers that no one
 * waits for, and that read only what is denied.
 */
export function decideWithoutRemedies(request: DecisionRequest): DecisionStep {
  return decidedWith(request, (denied) => withNames(request, denied));
}

/** The present policy's decision about an object, without external answers and without remedies. */
export const checkAlone = (request: DecisionRequest): Decision =>
  finished(decideWithoutRemedies({ ...request, ask: undefined }));

/** The decision for an object without external answers. */
export const decideAlone = (request: DecisionRequest): Decision => finished(decide({ ...request, ask: undefined }));
