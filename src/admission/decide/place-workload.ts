import type { LoadTable } from "../../model/load.ts";
import type { PolicyResult } from "../../model/policy.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import { choosePlacement, type PlacementAnswer, followPlan } from "../../placement/choose-placement.ts";
import type { PlacementRequest } from "../../placement/placement-request.ts";
import { loadTable } from "../../placement/load-table.ts";
import { platformBudgets } from "../../placement/headroom.ts";
import { intensityCurves } from "./intensity-curves.ts";
import type { DecisionRequest, NeedsBatch } from "../types.ts";
import { startReason } from "../../model/decision-annotation/pause.ts";
import { bandErrors, optionValue } from "../../placement/option-value.ts";
import { ForecastCurve } from "../../placement/forecast-curve.ts";
import type { Waiting } from "../../placement/zone-means.ts";

/** What is placed already, added up when somebody asks: where nothing is limited and nothing is equal, nobody does. */
function loadOf({ placed }: DecisionRequest): LoadTable {
  let table: LoadTable | undefined;
  const load = (): LoadTable => (table ??= loadTable(placed?.() ?? []));
  return { at: (place, hour) => load().at(place, hour), totalAt: (hour) => load().totalAt(hour) };
}

/** The user's start. What is not there yet cannot start in the past: it starts now. */
function pinnedStart({ nowSeconds, started }: DecisionRequest, { pin }: WorkloadRequest): number | null {
  return pin.start === null || started === true ? pin.start : Math.max(pin.start, nowSeconds);
}

/** What placement is asked. What runs already has its place: no budget takes it away. */
function placementRequest(request: DecisionRequest, workload: WorkloadRequest, result: PolicyResult): PlacementRequest {
  const load = loadOf(request);
  const runs = request.started === true;
  const budgets = runs ? null : platformBudgets(result.schedule.budgets, load);
  const waiting = countWaiting(request, workload, result);
  return {
    candidates: result.candidates,
    curves: intensityCurves(request),
    power: request.policy.catalog.power,
    objective: result.objective,
    window: {
      nowSeconds: request.nowSeconds,
      durationSeconds: workload.durationSeconds,
      deadline: runs ? null : workload.deadline,
      pinnedStart: pinnedStart(request, workload),
      horizonSeconds: result.horizonSeconds,
    },
    ...(waiting === undefined ? {} : { waiting }),
    load,
    ...(budgets === null ? {} : { budgets }),
    // The name is the seed, so that the webhook and `landfall explain` break ties alike.
    seed: `${workload.namespace}/${workload.name}`,
    tolerance: result.schedule.tolerance,
  };
}

/**
 * The candidates of the policy at their best starts, the best first. Only with budgets does an object's place depend on the
 * others that are admitted at the same moment: then it needs a batch, if it may ask for one, or follows the batch's plan.
 */
export function placeWorkload(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): PlacementAnswer | NeedsBatch {
  const asked = placementRequest(request, workload, result);
  if (asked.budgets === undefined) return choosePlacement(asked);
  const { plan, ask } = request;
  if (plan !== undefined && plan !== null) return followPlan(asked, plan);
  const { budgets: settings, gatherMilliseconds: waitMs = 0 } = result.schedule;
  if (ask === "batch" && waitMs > 0) return { state: "needs a batch", item: { request: asked, settings }, waitMs };
  return choosePlacement(asked);
}

/** The candidates in their order, without the other objects of a batch. */
export const placeAlone = (
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): PlacementAnswer => choosePlacement(placementRequest(request, workload, result));

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
function countWaiting(
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
