import { describe } from "../../errors.ts";
import type { Degradation } from "../../model/decision.ts";
import type { PolicyResult } from "../../model/policy.ts";
import { HOUR_SECONDS } from "../../model/time.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import type { ScoredPlace } from "../../placement/choose-placement.ts";
import type { DecisionRequest } from "../types.ts";
import { forecastGaps, zoneOutlook } from "./zone-outlook.ts";

/** How many zones without a forecast are named. */
const NAMED = 5;

/** Up to when a forecast would have been of use, in seconds since 1970. */
function wantedUntil(
  { nowSeconds }: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  start: number,
): number {
  const { durationSeconds, deadline } = workload;
  // The mean of a whole week is what a long-running machine is judged by: no forecast reaches that far.
  if (durationSeconds === null) return nowSeconds + HOUR_SECONDS;
  const end = start + durationSeconds;
  if (deadline === null) return end;
  return Math.max(end, Math.min(deadline, nowSeconds + result.horizonSeconds + durationSeconds));
}

/** Places that were held against the chosen one by another measure than it. */
function unevenZones(request: DecisionRequest, ranked: readonly ScoredPlace[], chosenZone: string): string[] {
  const { forecasts, nowSeconds } = request;
  if (forecasts === undefined || forecasts === null) return [];
  const zones = new Set(ranked.map(({ candidate }) => candidate.electricityZone).filter((zone) => zone !== null));
  zones.delete(chosenZone);
  return [...zones].filter((zone) => zoneOutlook(forecasts, zone, nowSeconds).used.length === 0).sort();
}

/**
 * What was missing of the forecasts for this choice, and what was used instead. Nothing where no source is set up: then
 * climatology is what the platform chose.
 */
export function forecastDegradations(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  ranked: readonly ScoredPlace[],
): Degradation[] {
  const { forecasts, nowSeconds } = request;
  const [chosen] = ranked;
  const zone = chosen?.candidate.electricityZone ?? null;
  if (forecasts === undefined || forecasts === null || chosen === undefined || zone === null) return [];
  const found = forecastGaps(forecasts, zone, nowSeconds, wantedUntil(request, workload, result, chosen.start));
  const uneven = unevenZones(request, ranked, zone);
  if (uneven.length === 0 || zoneOutlook(forecasts, zone, nowSeconds).used.length === 0) return found;
  const more = uneven.length > NAMED ? ` and ${String(uneven.length - NAMED)} more` : "";
  const zones = uneven.slice(0, NAMED).join(", ") + more;
  return [...found, { code: "FORECAST_UNEVEN", message: describe("FORECAST_UNEVEN", { zones }).message }];
}
