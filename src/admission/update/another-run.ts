import { conditionsOf } from "../../model/conditions.ts";
import type { DecisionOwners } from "../../model/decision-annotation/standing.ts";
import { isObject } from "../../model/json.ts";
import { ANNOTATION } from "../../model/names.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import type { Update } from "./change.ts";
import { annotation } from "./changed-parts.ts";

const isTrue = ({ status }: WorkloadObject, type: string): boolean =>
  conditionsOf(isObject(status) ? { status } : {}).some((one) => one.type === type && one.status === "True");

/** Whether the run of this object goes on, as its controller says. */
export const isRunning = (object: WorkloadObject): boolean => isTrue(object, "Running");

/** Whether the update asks for another run, by another value of `landfall.dev/run`. */
export const asksAnotherRun = (object: WorkloadObject, oldObject: WorkloadObject): boolean =>
  annotation(object, ANNOTATION.run) !== annotation(oldObject, ANNOTATION.run);

/** Whether another run is asked for and nothing of the last one is left, so that it is placed and starts like a new object. */
export const isNextRun = ({ object, oldObject }: Update, owners: DecisionOwners): boolean =>
  asksAnotherRun(object, oldObject) && owners.runOf(oldObject) === "gone";
