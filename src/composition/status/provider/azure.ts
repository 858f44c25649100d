import type { Rule } from "./state.ts";
import { find, fromReady, notReady, UNSEEN } from "./state.ts";

/** Azure Service Operator: severity Error is its word for "I gave up"; a Warning is tried again. */
export const azure: Rule = (resource, conditions) => {
  const condition = find(conditions, "Ready");
  if (!condition) return UNSEEN;
  const { severity } = condition;
  const failed = { terminal: severity === "Error", retrying: severity === "Warning" };
  return fromReady(resource, condition) ?? notReady(condition, failed);
};
