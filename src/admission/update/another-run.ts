import { conditionsOf } from "../../model/conditions.ts";
import { isInstalled } from "../../model/decision-annotation/pause.ts";
import { isObject } from "../../model/json.ts";
import { ANNOTATION } from "../../model/names.ts";
import type { WorkloadObject } from "../../model/workload.ts";

const annotation = ({ metadata }: WorkloadObject, name: string): string | undefined => metadata.annotations?.[name];

const isTrue = ({ status }: WorkloadObject, type: string): boolean =>
  conditionsOf(isObject(status) ? { status } : {}).some((one) => one.type === type && one.status === "True");

/** Whether the run of this object goes on, as its controller says. */
export const isRunning = (object: WorkloadObject): boolean => isTrue(object, "Running");

/** Whether the update asks for another run, by another value of `landfall.dev/run`. */
export const asksAnotherRun = (object: WorkloadObject, oldObject: WorkloadObject): boolean =>
  annotation(object, ANNOTATION.run) !== annotation(oldObject, ANNOTATION.run);

/** Whether the last run of the object is over and left nothing: another one may be placed anew. */
export const isOverAndGone = (oldObject: WorkloadObject): boolean =>
  (isTrue(oldObject, "Completed") || isTrue(oldObject, "Failed")) && !isInstalled(oldObject);
