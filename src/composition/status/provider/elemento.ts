import type { Rule } from "./state.ts";
import { find, fromReady, notReady, UNSEEN } from "./state.ts";

/** Elemento: our own operator. The reason is Elemento's own word; the severity says whether it goes on trying. */
export const elemento: Rule = (resource, conditions) => {
  const condition = find(conditions, "Ready");
  if (!condition) return UNSEEN;
  const { severity } = condition;
  const states = { terminal: severity === "Error", retrying: severity === "Warning" };
  return fromReady(resource, condition) ?? notReady(condition, states);
};
