import type { ErrorCode, ErrorParams } from "../../errors.ts";
import type { Denial } from "../../model/decision.ts";
import { ANNOTATION } from "../../model/names.ts";
import { COMPLETIONS, RUN_LENGTH, unknownPolicy } from "../../model/runs/run-of.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import { denial } from "./denial.ts";

export interface RunFault {
  code: ErrorCode;
  params: ErrorParams & { annotation: string };
}

export const completedOf = ({ metadata }: WorkloadObject): string | undefined =>
  metadata.annotations?.[ANNOTATION.completed];

/** A value of `landfall.dev/run` that is too long to be kept for every object. */
export function longRun({ metadata }: WorkloadObject): RunFault | null {
  const { length } = metadata.annotations?.[ANNOTATION.run] ?? "";
  if (length <= RUN_LENGTH) return null;
  return { code: "ADM_RUN_LONG", params: { annotation: ANNOTATION.run, length, limit: RUN_LENGTH } };
}

/** A word for the repair of machines that a change brings and that means nothing. `oldObject`: null at a creation. */
export function wrongRepair(object: WorkloadObject, oldObject: WorkloadObject | null): RunFault | null {
  const actual = unknownPolicy(object, oldObject)?.slice(0, 40);
  return actual === undefined ? null : { code: "ADM_REPAIR", params: { annotation: ANNOTATION.repair, actual } };
}

export const wrongCompletion = (detail: string): RunFault => ({
  code: "ADM_COMPLETED",
  params: { annotation: ANNOTATION.completed, detail },
});

/** Why this is not how a run ends; null if it is. */
export const unknownCompletion = (completed: string): string | null =>
  COMPLETIONS.some((word) => word === completed) ? null : `has the value ${JSON.stringify(completed.slice(0, 40))}`;

/** A report of a completion on a new object. */
function earlyCompletion(object: WorkloadObject): RunFault | null {
  const completed = completedOf(object);
  if (completed === undefined) return null;
  const early = "was written for another object: the run of this one has not started";
  return wrongCompletion(unknownCompletion(completed) ?? early);
}

/** What is wrong with the annotations about its run that a new object has; null if nothing is. */
export const creationFault = (object: WorkloadObject): RunFault | null =>
  longRun(object) ?? wrongRepair(object, null) ?? earlyCompletion(object);

/** The same as a denial; empty if there is none. */
export function checkRun(object: WorkloadObject): Denial[] {
  const fault = creationFault(object);
  if (fault === null) return [];
  return [denial(fault.code, { field: `metadata.annotations[${fault.params.annotation}]` }, fault.params)];
}
