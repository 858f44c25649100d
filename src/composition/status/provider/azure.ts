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
const OF_A_QUOTA = /\bquotas?\b/i;

/** The begin of the HTTP request and answer that the operator, before its version of 2025-06, writes behind Azure's message (ASO, issue 2573). */
const REQUEST = /(?:^|: ?)(?:DELETE|GET|HEAD|PATCH|POST|PUT) https:\/\//;

/** Azure's message in an answer, which has each field on a line of its own; empty if there is none. */
function answered(text: string): string {
  const [, rest = ""] = text.split('"message":', 2);
  const [line = ""] = rest.split("\n", 1);
  try {
    return String(JSON.parse(line.trim().replace(/,$/, "")));
  } catch {
    return "";
  }
}

/** Azure's message without the HTTP request, which names the subscription, and the answer, which repeats the message. */
function words(message: string): string {
  const at = message.search(REQUEST);
  if (at < 0) return message;
  const before = message.slice(0, at).trim();
  return before === "" ? answered(message) : before;
}

function knownOf({ reason = "", message = "" }: ProviderCondition): Partial<Readiness> {
  return reason === "OperationNotAllowed" && !OF_A_QUOTA.test(message) ? ofClass("retryable") : ofCode("azure", reason);
}

/** Azure Service Operator: severity Error means that it gave up; it tries a Warning again, whose code may say more. */
export const azure: Rule = (resource, conditions) => {
  const found = find(conditions, "Ready");
  if (!found) return UNSEEN;
  const condition = found.message === undefined ? found : { ...found, message: words(found.message) };
  const { severity } = condition;
  const waits = WAITS.has(condition.reason ?? "");
  const known = severity === "Warning" ? knownOf(condition) : {};
  const failed = { terminal: severity === "Error", retrying: severity === "Warning", ...known, waits };
  return fromReady(resource, condition) ?? notReady(condition, failed);
};
