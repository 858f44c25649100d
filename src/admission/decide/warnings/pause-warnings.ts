import type { PolicyResult, PolicyWarning } from "../../../model/policy.ts";
import { abilitiesOf, otherAddress } from "../../../model/places/operations.ts";
import { pauseWayOf, readPauses, reserveOf } from "../../../model/runs/pause-rules.ts";
import { durationText, parseDuration } from "../../../model/time.ts";
import { note } from "../../../model/text/note-codes.ts";
import type { Provider, WorkloadRequest } from "../../../model/workload.ts";
import { shown, warning } from "../../check/denial.ts";
import type { DecisionRequest } from "../../types.ts";
import type { Unused } from "./wait-warnings.ts";

/** Why its limit or its deadline leaves no time for one pause; null if it leaves some. */
function withoutTime(
  { object, nowSeconds }: DecisionRequest,
  { deadline }: WorkloadRequest,
  leastSeconds: number,
): Unused | null {
  const { maxLifetime } = object.spec ?? {};
  const limit = typeof maxLifetime === "string" ? parseDuration(maxLifetime) : null;
  const rest = `leaves no time for a pause: duration, a resume and the reserve take ${durationText(leastSeconds)}`;
  if (limit !== null && limit <= leastSeconds)
    return { detail: `maxLifetime ${shown(maxLifetime)} ${rest}`, allowed: "a longer maxLifetime" };
  if (deadline !== null && deadline - nowSeconds <= leastSeconds)
    return { detail: `the deadline ${rest}`, allowed: "a later deadline" };
  return null;
}

/** Why no pause is possible, whatever the forecast; null if one is. */
function withoutPause(request: DecisionRequest, workload: WorkloadRequest, result: PolicyResult): Unused | null {
  const { spec = {} } = request.object;
  const [rules, { durationSeconds }] = [readPauses(spec), workload];
  if (rules === null || durationSeconds === null) return null;
  if (spec["schedulingTime"] !== undefined)
    return { detail: "schedulingTime fixes the start", allowed: "no schedulingTime" };
  if (result.objective.carbon === 0) {
    const by =
      spec["optimizeFor"] === undefined ? "the platform's objective" : `optimizeFor ${shown(spec["optimizeFor"])}`;
    return {
      detail: `a pause saves only CO2e, which ${by} does not count`,
      allowed: "optimizeFor: carbon or balanced",
    };
  }
  const { minRunSeconds, resumeSeconds } = rules;
  if (2 * minRunSeconds > durationSeconds) {
    const [least, whole] = [durationText(minRunSeconds), durationText(durationSeconds)];
    const detail = `two parts of at least minRun ${least} are longer than duration ${whole}`;
    return { detail, allowed: `minRun: ${durationText(Math.floor(durationSeconds / 2))} or less` };
  }
  return withoutTime(request, workload, durationSeconds + resumeSeconds + reserveOf(rules));
}

/** The warning that `interruptible` of a new object can never pause it. */
export function pauseWarnings(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): PolicyWarning[] {
  const unused = request.started === true ? null : withoutPause(request, workload, result);
  return unused === null ? [] : [warning("ADM_INTERRUPTIBLE_UNUSED", { ...unused })];
}

/** A public address that a pause takes from the machine. */
export function addressInPauses(spec: Readonly<Record<string, unknown>>, provider: Provider): PolicyWarning[] {
  const way = pauseWayOf(spec);
  const address = way === null ? null : otherAddress(spec, abilitiesOf("VmTemplate", provider).operations[way]);
  return address === null ? [] : [note("PAUSE_ADDRESS", `in each pause, ${address}`)];
}
