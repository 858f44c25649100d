import { type Condition, conditionsOf, type Resource } from "../../model/kubernetes.ts";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The conditions of an object as texts. Who may write its status may write anything there: other values than texts are shown as empty. */
export const toldConditions = (object: Resource): Condition[] =>
  conditionsOf(object).map(({ type, status, reason, message, lastTransitionTime }) => ({
    ...{ type, status: text(status) as Condition["status"], reason: text(reason), message: text(message) },
    lastTransitionTime: text(lastTransitionTime),
  }));
