import type { ErrorCode, ErrorParams } from "../errors.ts";
import type { DecisionOwners } from "../model/decision-annotation/standing.ts";
import { ANNOTATION } from "../model/names.ts";
import type { WorkloadObject } from "../model/workload.ts";
import { RUN_LENGTH } from "../model/run-of.ts";
import { asksAnotherRun, isRunning } from "./update/another-run.ts";

const WORDS: readonly string[] = ["succeeded", "failed"];

const completedOf = ({ metadata }: WorkloadObject): string | undefined => metadata.annotations?.[ANNOTATION.completed];

/** Why this report of a completion does not count; null if it does, or if there is no new one. */
function faultOf(object: WorkloadObject, oldObject: WorkloadObject | null): string | null {
  const [before, now] = [oldObject === null ? undefined : completedOf(oldObject), completedOf(object)];
  if (now === undefined || now === before) return null;
  if (!WORDS.includes(now)) return `has the value ${JSON.stringify(now.slice(0, 40))}`;
  if (oldObject === null) return "was written for another object: the run of this one has not started";
  if (before !== undefined) return `says already that the run ${before}`;
  return isRunning(oldObject) ? null : "reports the completion of a run that is not running";
}

export interface RunFault {
  code: ErrorCode;
  params: ErrorParams;
}

/** Whether a request brings a value of `landfall.dev/run` that is too long to be kept for every object; null if it does not. */
export function longRun(object: WorkloadObject, oldObject: WorkloadObject | null): RunFault | null {
  const { length } = object.metadata.annotations?.[ANNOTATION.run] ?? "";
  if (length <= RUN_LENGTH || (oldObject !== null && !asksAnotherRun(object, oldObject))) return null;
  return { code: "ADM_RUN_LONG", params: { annotation: ANNOTATION.run, length, limit: RUN_LENGTH } };
}

/** Whether the run goes on, or its resources are still to be deleted: only what is gone is placed anew. */
function isThere(oldObject: WorkloadObject, owners: Pick<DecisionOwners, "runOf">): boolean {
  const standing = owners.runOf(oldObject);
  if (standing === "over") return oldObject.spec?.["whenDone"] === "delete";
  return standing === "running" || (standing === "none" && isRunning(oldObject));
}

/** The code for annotations about the run that do not fit its state; null if they do. */
export function runFault(
  object: WorkloadObject,
  oldObject: WorkloadObject | null,
  owners: Pick<DecisionOwners, "runOf">,
): RunFault | null {
  const long = longRun(object, oldObject);
  if (long !== null) return long;
  const detail = faultOf(object, oldObject);
  if (detail !== null) return { code: "ADM_COMPLETED", params: { annotation: ANNOTATION.completed, detail } };
  if (oldObject === null || !asksAnotherRun(object, oldObject) || !isThere(oldObject, owners)) return null;
  return { code: "ADM_RUN_ACTIVE", params: { annotation: ANNOTATION.run } };
}
