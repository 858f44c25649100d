import { classOf } from "./error-classes.ts";
import type { Rule } from "./state.ts";
import { find, fromReady, notReady, ofClass, UNSEEN } from "./state.ts";

/** Elemento: our own operator. The reason is Elemento's own word; the severity says whether it keeps trying. */
export const elemento: Rule = (resource, conditions) => {
  const condition = find(conditions, "Ready");
  if (!condition) return UNSEEN;
  const { severity } = condition;
  const known = severity === "Warning" ? ofClass(classOf("elemento", condition.reason ?? "")) : {};
  const states = { terminal: severity === "Error", retrying: severity === "Warning", ...known };
  return fromReady(resource, condition) ?? notReady(condition, states);
};
