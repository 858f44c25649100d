import { startReason } from "../../model/decision-annotation/pause.ts";
import type { PolicyResult } from "../../model/policy.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import { bandErrors } from "../../placement/band-errors.ts";
import { ForecastCurve } from "../../placement/forecast-curve.ts";
import { optionValue } from "../../placement/option-value.ts";
import type { Waiting } from "../../placement/zone-means.ts";
import { intensityCurves } from "./intensity-curves.ts";
import type { DecisionRequest } from "../types.ts";

/** Until when its start may still be changed by a new decision, in seconds since 1970; null where nobody decides it again. */
function changesUntil(request: DecisionRequest, workload: WorkloadRequest, result: PolicyResult): number | null {
  const { object, started, pending, nowSeconds } = request;
  const { durationSeconds, deadline } = workload;
  if (result.schedule.decidedAgain !== true || durationSeconds === null || deadline === null) return null;
  // A start that its user fixed, or hurries, is no longer the controller's to change.
  if (object.spec?.["schedulingTime"] !== undefined || startReason(object) !== null) return null;
  if (started === true && pending !== true) return null;
  const latest = Math.min(deadline - durationSeconds, nowSeconds + result.horizonSeconds);
  return latest > nowSeconds ? latest : null;
}

/**
 * What a later start is worth in each zone to an object that is decided again until then, as `landfall simulate` counts it:
 * should a later forecast be worse, another start is taken, should it be better, the gain is kept. Only where the zone's
 * forecast has an error band; undefined where nothing is counted.
 */
export function countWaiting(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): ReadonlyMap<string, Waiting> | undefined {
  const latestStart = changesUntil(request, workload, result);
  const { nowSeconds } = request;
  const { durationSeconds: seconds } = workload;
  if (latestStart === null || seconds === null) return undefined;
  const patience = optionValue({ nowSeconds, latestStart });
  const curves = intensityCurves(request);
  const found = new Map<string, Waiting>();
  for (const zone of new Set(result.candidates.map(({ electricityZone }) => electricityZone))) {
    const curve = zone === null ? undefined : curves.get(zone);
    const errors = curve instanceof ForecastCurve ? bandErrors(curve, nowSeconds, seconds) : null;
    if (zone !== null && errors !== null) found.set(zone, { errors, patience, charge: 0 });
  }
  return found.size === 0 ? undefined : found;
}
