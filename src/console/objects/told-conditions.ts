import { type Condition, conditionsOf, type Resource } from "../../model/kubernetes.ts";
import { stringOf } from "../../model/json.ts";

/** The conditions of an object as texts. Who may write its status may write anything there: other values than texts are shown as empty. */
export const toldConditions = (object: Resource): Condition[] =>
  conditionsOf(object).map(({ type, status, reason, message, lastTransitionTime }) => ({
    ...{ type, status: stringOf(status) as Condition["status"], reason: stringOf(reason), message: stringOf(message) },
    lastTransitionTime: stringOf(lastTransitionTime),
  }));
