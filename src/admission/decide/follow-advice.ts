import { describe, type ErrorCode, type ErrorParams } from "../../errors.ts";
import type { Advice, SchedulerRequest } from "../../model/advice.ts";
import type { Degradation } from "../../model/decision.ts";
import type { PolicyResult } from "../../model/policy.ts";
import { durationText, formatTime } from "../../model/time.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import type { ScoredPlace } from "../../placement/choose-placement.ts";
import { latestStart } from "./boot-time.ts";
import { placeAlone } from "./place-workload.ts";
import type { DecisionRequest, NeedsAdvice } from "../types.ts";

/** A slow answer may name the time of the request. */
const LATENESS_SECONDS = 60;

/** The places in order, and who chose the first one. */
export interface Advised {
  ranked: ScoredPlace[];
  scheduler: "embedded" | "external";
  degraded: Degradation[];
}

const zonesOf = (ranked: readonly ScoredPlace[]): string[] =>
  [...new Set(ranked.map(({ candidate }) => candidate.electricityZone).filter((zone) => zone !== null))].sort();

/** The scheduler's request; null if there is nothing to schedule: no slack, or a start that the user fixed. */
function schedulerRequestFor(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  ranked: readonly ScoredPlace[],
): SchedulerRequest | null {
  const { durationSeconds, pin } = workload;
  const latest = latestStart(request, workload, result);
  if (request.started === true || latest === null || durationSeconds === null || pin.start !== null) return null;
  const eligible_regions = zonesOf(ranked);
  if (eligible_regions.length === 0) return null;
  const { cpu, memory } =
    workload.kind === "VmTemplate"
      ? { cpu: workload.cpu, memory: workload.memoryGiB }
      : { cpu: workload.total.vcpus, memory: workload.total.memoryGiB };
  return {
    number_of_jobs: 1,
    eligible_regions,
    deadline: formatTime(Math.max(latest, request.nowSeconds) + durationSeconds),
    duration: durationText(durationSeconds),
    cpu,
    memory,
  };
}

/** Why an answer cannot be followed; null if it can. */
function objection(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  advice: Extract<Advice, { ok: true }> & { zones: readonly string[] },
): { code: ErrorCode; params: ErrorParams } | null {
  const { nowSeconds } = request;
  const { zone, start, zones } = advice;
  const latest = Math.min(latestStart(request, workload, result) ?? nowSeconds, nowSeconds + result.horizonSeconds);
  const params = { zone, start: formatTime(start), now: formatTime(nowSeconds), latest: formatTime(latest) };
  if (!zones.includes(zone)) return { code: "SCHEDULER_REGION", params };
  if (start < nowSeconds - LATENESS_SECONDS) return { code: "SCHEDULER_PAST", params };
  if (start > latest) return { code: "SCHEDULER_LATE", params };
  return null;
}

function embedded(ranked: ScoredPlace[], code: ErrorCode, params: ErrorParams): Advised {
  const message = `${describe(code, params).message}; the embedded scheduler chose instead`;
  return { ranked, scheduler: "embedded", degraded: [{ code, message }] };
}

/**
 * Moves the external scheduler's choice to the front: the best machine in the electricity zone and at the start that it
 * names. An answer that breaks a rule is ignored: the order stays, and the decision gives the reason. Needs advice if
 * it may ask for it and has none yet.
 */
export function followAdvice(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  ranked: ScoredPlace[],
): Advised | NeedsAdvice {
  const { advice, ask } = request;
  const schedulerRequest =
    advice === undefined && ask !== "advice" ? null : schedulerRequestFor(request, workload, result, ranked);
  if (schedulerRequest === null) return { ranked, scheduler: "embedded", degraded: [] };
  if (advice === undefined) return { state: "needs advice", request: schedulerRequest };
  if (!advice.ok) return embedded(ranked, advice.code, advice.params);
  const wrong = objection(request, workload, result, { ...advice, zones: schedulerRequest.eligible_regions });
  if (wrong !== null) return embedded(ranked, wrong.code, wrong.params);
  const start = Math.max(advice.start, request.nowSeconds);
  const candidates = result.candidates.filter(({ electricityZone }) => electricityZone === advice.zone);
  const pinned = { ...workload, pin: { ...workload.pin, start } };
  const [chosen] = placeAlone(request, pinned, { ...result, candidates }).ranked;
  if (chosen === undefined) return embedded(ranked, "SCHEDULER_FULL", { zone: advice.zone, start: formatTime(start) });
  const others = ranked.filter(({ candidate }) => candidate.place !== chosen.candidate.place);
  return { ranked: [chosen, ...others], scheduler: "external", degraded: [] };
}
