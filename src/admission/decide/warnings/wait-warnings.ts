import type { PolicyWarning } from "../../../model/policy.ts";
import { durationText, formatTime, HOUR_SECONDS, MINUTE_SECONDS } from "../../../model/time.ts";
import type { WorkloadRequest } from "../../../model/workload.ts";
import { shown, warning } from "../../check/denial.ts";
import type { DecisionRequest } from "../../types.ts";
import { askedAt } from "../boot-time.ts";

/** Why a field changes nothing, and the correction without its verb. */
export interface Unused {
  detail: string;
  allowed: string;
}

/** Why no wait is possible; null if one is. */
function withoutWait({ object }: DecisionRequest, { durationSeconds }: WorkloadRequest): Unused | null {
  if (object.spec?.["schedulingTime"] !== undefined)
    return { detail: "schedulingTime fixes the start", allowed: "no schedulingTime" };
  if (durationSeconds !== null) return null;
  return { detail: "an object without a duration starts immediately", allowed: "spec.duration as well" };
}

/** The advice is followed later than it is given. */
const LATER_SECONDS = 5 * MINUTE_SECONDS;

/** A limit that ends before a wait of so many seconds, also where the object is applied again minutes later. */
function shorterWait(seconds: number): string {
  const left = seconds - LATER_SECONDS;
  const step = left < 2 * HOUR_SECONDS ? LATER_SECONDS : HOUR_SECONDS;
  return left < step ? "a later deadline" : `maxWait: ${durationText(Math.floor(left / step) * step)} or less`;
}

/** Why the object's own limit of waiting changes nothing. */
function unusedLimit(
  request: DecisionRequest,
  { durationSeconds, deadline, maxWaitSeconds }: WorkloadRequest,
): Unused | null {
  const latest = deadline === null ? Number.POSITIVE_INFINITY : deadline - (durationSeconds ?? 0);
  const asked = askedAt(request);
  if (asked + (maxWaitSeconds ?? 0) <= latest) return null;
  const detail = `the deadline needs a start by ${formatTime(latest)}, which is sooner`;
  return { detail, allowed: shorterWait(latest - asked) };
}

/** Why the cost of waiting changes nothing. */
const unusedCost = ({ deadline, maxWaitSeconds }: WorkloadRequest): Unused | null =>
  deadline === null && maxWaitSeconds === null
    ? {
        detail: "an object without a deadline and maxWait starts immediately",
        allowed: "a deadline or maxWait as well",
      }
    : null;

/** Warnings about fields of waiting that cannot take effect. */
export function waitWarnings(request: DecisionRequest, workload: WorkloadRequest): PolicyWarning[] {
  if (request.started === true) return [];
  const { maxWait, waitingCostPercent } = request.object.spec ?? {};
  const none = withoutWait(request, workload);
  const limit = maxWait === undefined ? null : (none ?? unusedLimit(request, workload));
  // One text about the missing duration is enough.
  const cost = waitingCostPercent === undefined || limit !== null ? null : (none ?? unusedCost(workload));
  return [
    ...(limit === null ? [] : [warning("ADM_MAX_WAIT_UNUSED", { actual: shown(maxWait), ...limit })]),
    ...(cost === null ? [] : [warning("ADM_WAITING_COST_UNUSED", { actual: shown(waitingCostPercent), ...cost })]),
  ];
}
