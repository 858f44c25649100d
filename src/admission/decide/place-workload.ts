import type { LoadTable } from "../../model/places/load.ts";
import type { PolicyResult } from "../../model/policy.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import {
  choosePlacement,
  followPlan,
  type PlacementAnswer,
  type ScoredPlace,
} from "../../placement/choose-placement.ts";
import type { PlacementRequest } from "../../placement/placement-request.ts";
import { loadTable } from "../../placement/load-table.ts";
import { platformBudgets } from "../../placement/headroom.ts";
import { parseDuration } from "../../model/time.ts";
import { splitPlacement } from "../../placement/split/split-placement.ts";
import { intensityCurves } from "./intensity-curves.ts";
import { bootOf, latestStart, longestBoot, waitsUntil } from "./boot-time.ts";
import { atMost } from "./counted-size.ts";
import type { DecisionRequest, NeedsBatch } from "../types.ts";
import { startReason } from "../../model/decision-annotation/pause.ts";
import { bandErrors, optionValue } from "../../placement/option-value.ts";
import { ForecastCurve } from "../../placement/curves.ts";
import type { Waiting } from "../../placement/zone-means.ts";

/** The load of placed workloads, computed on demand: without limits and ties it is not needed. */
export function loadOf({ placed }: DecisionRequest): LoadTable {
  let table: LoadTable | undefined;
  const load = (): LoadTable => (table ??= loadTable(placed?.() ?? []));
  return { at: (place, hour) => load().at(place, hour), totalAt: (hour) => load().totalAt(hour) };
}

/** The user's start. A new object cannot start in the past: it starts now. */
function pinnedStart({ nowSeconds, started }: DecisionRequest, { pin }: WorkloadRequest): number | null {
  return pin.start === null || started === true ? pin.start : Math.max(pin.start, nowSeconds);
}

export const waitingCostOf = ({ schedule }: PolicyResult): number => (schedule.waitingCostPercent ?? 0) / 100;

/** How the run may pause. Each pause has to save what moves a decided start. */
function pausesOf(
  request: DecisionRequest,
  workload: WorkloadRequest,
  { schedule, candidates }: PolicyResult,
): Partial<PlacementRequest> {
  const { pauses } = workload;
  if (pauses === undefined || request.started === true) return {};
  const { object } = request;
  const bootSeconds = Object.fromEntries(
    candidates.map(({ provider }) => [provider, bootOf(request, workload, provider)?.seconds ?? 0]),
  );
  const limit = object.spec?.["maxLifetime"];
  const maxSpanSeconds = typeof limit === "string" ? parseDuration(limit) : null;
  return {
    pauses,
    bootSeconds,
    pauseGain: schedule.minimumGain,
    ...(maxSpanSeconds === null ? {} : { maxSpanSeconds }),
  };
}

/** The parts of a request for placement that do not depend on when it may start. A running machine keeps its place regardless of budgets. */
function scoredParts(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): Omit<PlacementRequest, "window"> {
  const load = loadOf(request);
  const budgets = request.started === true ? null : platformBudgets(result.schedule.budgets, load);
  return {
    candidates:
      budgets === null ? result.candidates : result.candidates.map((candidate) => atMost(request, workload, candidate)),
    curves: intensityCurves(request),
    power: request.policy.catalog.power,
    objective: result.objective,
    load,
    ...(budgets === null ? {} : { budgets }),
    // The name is the seed, so that the webhook and `landfall explain` break ties in the same way.
    seed: `${workload.namespace}/${workload.name}`,
    tolerance: result.schedule.tolerance,
  };
}

/** The request for placement. */
export function placementRequest(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): PlacementRequest {
  const runs = request.started === true;
  // Only forecasts have error bands.
  const waiting = request.forecasts == null ? undefined : countWaiting(request, workload, result);
  const until = runs ? undefined : waitsUntil(request, workload, result);
  return {
    ...scoredParts(request, workload, result),
    window: {
      nowSeconds: request.nowSeconds,
      durationSeconds: workload.durationSeconds,
      deadline: runs ? null : workload.deadline,
      ...(until === undefined ? {} : { latestStart: until }),
      pinnedStart: pinnedStart(request, workload),
      bootSeconds: longestBoot(request, workload, result.candidates),
      horizonSeconds: result.horizonSeconds,
    },
    ...(waiting === undefined ? {} : { waiting }),
    ...pausesOf(request, workload, result),
    waitingCost: waitingCostOf(result),
  };
}

/**
 * The policy's candidates at their best starts, best first. Only with budgets does an object's place depend on others
 * that are admitted at the same moment: then it needs a batch, if it may ask for one, or follows the batch's plan.
 */
export function placeWorkload(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): PlacementAnswer | NeedsBatch {
  const asked = placementRequest(request, workload, result);
  if (asked.budgets === undefined) return chooseSplit(asked);
  const { plan, ask } = request;
  if (plan !== undefined && plan !== null) return splitPlacement(asked, followPlan(asked, plan));
  const { budgets: settings, gatherMilliseconds: waitMs = 0 } = result.schedule;
  if (ask === "batch" && waitMs > 0) return { state: "needs a batch", item: { request: asked, settings }, waitMs };
  return chooseSplit(asked);
}

/** Runs that may pause are split, where that is better than one continuous run. */
const chooseSplit = (asked: PlacementRequest): PlacementAnswer => splitPlacement(asked, choosePlacement(asked));

/** The ranked candidates, without the other objects of a batch. */
export const placeAlone = (
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): PlacementAnswer => chooseSplit(placementRequest(request, workload, result));

/** The best place for an immediate start; null if there is none. */
export function placeNow(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): ScoredPlace | null {
  const { nowSeconds } = request;
  const { durationSeconds } = workload;
  const window = { nowSeconds, durationSeconds, deadline: null, pinnedStart: nowSeconds, horizonSeconds: 0 };
  return choosePlacement({ ...scoredParts(request, workload, result), window }).ranked[0] ?? null;
}

/** Until when a new decision may change the start, in seconds since 1970; null if the object is not decided again. */
function changesUntil(request: DecisionRequest, workload: WorkloadRequest, result: PolicyResult): number | null {
  const { object, started, pending, nowSeconds } = request;
  const last = latestStart(request, workload, result);
  if (result.schedule.decidedAgain !== true || last === null) return null;
  // The controller does not change a start that the user fixed or requested immediately.
  if (object.spec?.["schedulingTime"] !== undefined || startReason(object) !== null) return null;
  if (started === true && pending !== true) return null;
  const latest = Math.min(last, nowSeconds + result.horizonSeconds);
  return latest > nowSeconds ? latest : null;
}

/**
 * The option value of a later start by zone, for an object that is decided again until then, as in `landfall simulate`:
 * if a later forecast is worse, another start is chosen; if it is better, the gain is kept. Only for zones whose
 * forecast has an error band; undefined if there is no option value.
 */
function countWaiting(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): ReadonlyMap<string, Waiting> | undefined {
  const latest = changesUntil(request, workload, result);
  const { nowSeconds } = request;
  const { durationSeconds: seconds } = workload;
  if (latest === null || seconds === null) return undefined;
  const patience = optionValue({ nowSeconds, latestStart: latest, waitingCost: waitingCostOf(result) });
  const curves = intensityCurves(request);
  const found = new Map<string, Waiting>();
  for (const zone of new Set(result.candidates.map(({ electricityZone }) => electricityZone))) {
    const curve = zone === null ? undefined : curves.get(zone);
    const errors = curve instanceof ForecastCurve ? bandErrors(curve, nowSeconds, seconds) : null;
    if (zone !== null && errors !== null) found.set(zone, { errors, patience, charge: 0 });
  }
  return found.size === 0 ? undefined : found;
}
