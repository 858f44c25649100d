import type { DecisionOwners } from "../model/decision-annotation/standing.ts";
import { ANNOTATION } from "../model/names.ts";
import type { WorkloadObject } from "../model/workload.ts";
import {
  completedOf,
  creationFault,
  longRun,
  type RunFault,
  unknownCompletion,
  wrongCompletion,
  wrongRepair,
} from "./check/check-metadata.ts";
import { asksAnotherRun, isRunning } from "./update/change.ts";

/** A report of a completion that does not count; null if it does, or if there is no new one. */
function completionFault(object: WorkloadObject, oldObject: WorkloadObject): RunFault | null {
  const [before, now] = [completedOf(oldObject), completedOf(object)];
  if (now === undefined || now === before) return null;
  const unknown = unknownCompletion(now);
  if (unknown !== null) return wrongCompletion(unknown);
  if (before !== undefined) return wrongCompletion(`says already that the run ${before}`);
  return isRunning(oldObject) ? null : wrongCompletion("reports the completion of a run that is not running");
}

/** Whether the run continues, or its resources are still to be deleted: only what is gone is placed again. */
function isThere(oldObject: WorkloadObject, owners: Pick<DecisionOwners, "runOf">): boolean {
  const standing = owners.runOf(oldObject);
  if (standing === "over") return oldObject.spec?.["whenDone"] === "delete";
  return standing === "running" || (standing === "none" && isRunning(oldObject));
}

/** Another run that is asked for while the last one is there. */
const activeRun = (
  object: WorkloadObject,
  oldObject: WorkloadObject,
  owners: Pick<DecisionOwners, "runOf">,
): RunFault | null =>
  asksAnotherRun(object, oldObject) && isThere(oldObject, owners)
    ? { code: "ADM_RUN_ACTIVE", params: { annotation: ANNOTATION.run } }
    : null;

/** A new value of `landfall.dev/run` that is too long. */
export const longRunFault = (object: WorkloadObject, oldObject: WorkloadObject | null): RunFault | null =>
  oldObject === null || asksAnotherRun(object, oldObject) ? longRun(object) : null;

/** The problem of annotations about the run that do not fit its state; null for none. */
export function runFault(
  object: WorkloadObject,
  oldObject: WorkloadObject | null,
  owners: Pick<DecisionOwners, "runOf">,
): RunFault | null {
  if (oldObject === null) return creationFault(object);
  return (
    longRunFault(object, oldObject) ??
    wrongRepair(object, oldObject) ??
    completionFault(object, oldObject) ??
    activeRun(object, oldObject, owners)
  );
}
