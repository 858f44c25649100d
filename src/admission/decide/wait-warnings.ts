import { describe } from "../../errors.ts";
import type { PolicyWarning } from "../../model/policy.ts";
import { durationText, formatTime } from "../../model/time.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import type { DecisionRequest } from "../types.ts";
import { createdAt } from "./latest-start.ts";

/** Why the object's own limit of waiting changes nothing, and what to write instead; null if it can matter. */
function unused(request: DecisionRequest, workload: WorkloadRequest): { detail: string; allowed: string } | null {
  const { durationSeconds, deadline, maxWaitSeconds } = workload;
  if (maxWaitSeconds === null) return null;
  if (durationSeconds === null)
    return { detail: "an object without a duration starts immediately", allowed: "spec.duration as well" };
  if (request.object.spec?.["schedulingTime"] !== undefined)
    return { detail: "schedulingTime fixes the start", allowed: "no schedulingTime" };
  const latest = deadline === null ? Number.POSITIVE_INFINITY : deadline - durationSeconds;
  const created = createdAt(request);
  if (created + maxWaitSeconds <= latest) return null;
  const allowed = `maxWait: ${durationText(Math.max(0, latest - created))} or less`;
  return { detail: `the deadline needs a start by ${formatTime(latest)}, which is sooner`, allowed };
}

/** A warning about a limit of waiting that cannot take effect. */
export function waitWarnings(request: DecisionRequest, workload: WorkloadRequest): PolicyWarning[] {
  const why = request.started === true ? null : unused(request, workload);
  if (why === null) return [];
  const actual = request.object.spec?.["maxWait"];
  const { message, remedy } = describe("ADM_MAX_WAIT_UNUSED", {
    actual: typeof actual === "string" ? actual : "",
    ...why,
  });
  return [{ code: "ADM_MAX_WAIT_UNUSED", message: `${message}; ${remedy}` }];
}
