import type { ProviderCondition, Readiness, Rule } from "./state.ts";
import { find, fromReady, notReady, ofClass, ofCode, UNSEEN } from "./state.ts";

/** Codes of Azure and its operator for a part that another resource still makes. */
const WAITS = new Set([
  "InvalidResourceReference",
  "NotFound",
  "ParentResourceNotFound",
  "ReferenceNotFound",
  "ResourceGroupNotFound",
  "ResourceNotFound",
  "WaitingForOwner",
]);

/** Azure's words about a quota. The same code says that a running machine cannot do something. */
const OF_A_QUOTA = /\bquota\b|\bexceed/i;

function knownOf({ reason = "", message = "" }: ProviderCondition): Partial<Readiness> {
  return reason === "OperationNotAllowed" && !OF_A_QUOTA.test(message) ? ofClass("retryable") : ofCode("azure", reason);
}

/** Azure Service Operator: severity Error means that it gave up; it tries a Warning again, whose code may say more. */
export const azure: Rule = (resource, conditions) => {
  const condition = find(conditions, "Ready");
  if (!condition) return UNSEEN;
  const { severity } = condition;
  const waits = WAITS.has(condition.reason ?? "");
  const known = severity === "Warning" ? knownOf(condition) : {};
  const failed = { terminal: severity === "Error", retrying: severity === "Warning", ...known, waits };
  return fromReady(resource, condition) ?? notReady(condition, failed);
};
