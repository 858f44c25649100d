import { HOUR_SECONDS } from "../../model/time.ts";
import { ForecastCurve } from "../../placement/forecast-curve.ts";
import { platformBudgets } from "../../placement/headroom.ts";
import { bandErrors, optionValue } from "../../placement/option-value.ts";
import type { PlacementRequest } from "../../placement/placement-request.ts";
import { type BegunRun, type RestPlan, splitRest } from "../../placement/split/split-rest.ts";
import { readRequest } from "../check/read-request.ts";
import type { DecisionRequest } from "../types.ts";
import { intensityCurves } from "./intensity-curves.ts";
import { loadOf, placementRequest, waitingCostOf } from "./place-workload.ts";
import { policyInput } from "./policy-input.ts";

/** The option value of hours to come, as the rest of a run is decided again until its end: as in `landfall simulate`. */
function optionOf(
  request: DecisionRequest,
  asked: PlacementRequest,
  latestStart: number,
): Pick<PlacementRequest, "waiting"> {
  const zone = asked.candidates[0]?.electricityZone ?? null;
  const curve = zone === null ? undefined : intensityCurves(request).get(zone);
  const { nowSeconds } = request;
  const errors = curve instanceof ForecastCurve ? bandErrors(curve, nowSeconds, HOUR_SECONDS) : null;
  if (zone === null || errors === null) return {};
  const patience = optionValue({ nowSeconds, latestStart, waitingCost: asked.waitingCost ?? 0 });
  return { waiting: new Map([[zone, { errors, patience, charge: 0 }]]) };
}

/**
 * The best plan for the rest of a run that has begun; null if there is nothing to choose by. The request is one for a started object
 * with its place as pins.
 */
export function placeRest(request: DecisionRequest, run: BegunRun): RestPlan | null {
  const pinned = { ...request.object, spec: { ...request.object.spec, ...request.pins } };
  const workload = readRequest(request.kind, pinned);
  const result = request.policy.evaluate(policyInput({ ...request, object: pinned, request: workload }));
  const { durationSeconds, deadline } = workload;
  if (result.candidates.length !== 1 || durationSeconds === null || deadline === null) return null;
  const begun = placementRequest(request, workload, result);
  const budgets = platformBudgets(result.schedule.budgets, loadOf(request));
  const asked: PlacementRequest = {
    ...{ ...begun, window: { ...begun.window, deadline }, waitingCost: waitingCostOf(result) },
    ...{ pauseGain: result.schedule.minimumGain, ...(budgets === null ? {} : { budgets }) },
  };
  const again = result.schedule.decidedAgain === true;
  return splitRest({ ...asked, ...(again ? optionOf(request, asked, deadline - durationSeconds) : {}) }, run);
}
