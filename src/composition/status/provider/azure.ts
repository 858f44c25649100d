import { classOf } from "./error-classes.ts";
import type { Rule } from "./state.ts";
import { find, fromReady, notReady, ofClass, UNSEEN } from "./state.ts";

/** Azure Service Operator: severity Error means that it gave up; it tries a Warning again, whose code may say more. */
export const azure: Rule = (resource, conditions) => {
  const condition = find(conditions, "Ready");
  if (!condition) return UNSEEN;
  const { severity } = condition;
  const known = severity === "Warning" ? ofClass(classOf("azure", condition.reason ?? "")) : {};
  const failed = { terminal: severity === "Error", retrying: severity === "Warning", ...known };
  return fromReady(resource, condition) ?? notReady(condition, failed);
};
