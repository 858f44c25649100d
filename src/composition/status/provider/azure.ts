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

/** Azure's words about a system disk that will never hold its image, under the same code. */
const TOO_SMALL = /\bsmaller than the size of the corresponding disk in the VM image\b/;

/** Azure's words about a size that it sells there, and has no machine of now. The same code says that it does not sell it there. */
const OF_CAPACITY = /\bcapacity restrictions?\b/i;

/**
 * The begin of the HTTP request and answer that the operator, before its version of 2025-06, writes behind Azure's message (ASO, issue 2573),
 * and Azure's library for logins behind its own (`AuthenticationFailedError` in Azure/azure-sdk-for-go, sdk/azidentity/errors.go).
 */
const REQUEST = /(?:^|: ?|\s)(?:DELETE|GET|HEAD|PATCH|POST|PUT) https:\/\//;

/** An error of the operator's login, which ends where the ids of the attempt, another line or the end of a JSON string begin. */
const LOGIN = /\b(AADSTS\d{4,9}): {0,4}/;
const LOGIN_END = /\s{0,4}(?:\\[rn]|[\r\n"]|Trace ID:|$)/;

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

/** The login's code and its words; null for another error. The rest names the tenant, and differs with each attempt. */
function loginError(message: string): Pick<ProviderCondition, "reason" | "message"> | null {
  const found = LOGIN.exec(message);
  if (found === null) return null;
  const rest = message.slice(found.index + found[0].length);
  return { reason: found[1] ?? "", message: rest.slice(0, rest.search(LOGIN_END)) };
}

function knownOf({ reason = "", message = "" }: ProviderCondition): Partial<Readiness> {
  if (reason === "OperationNotAllowed" && TOO_SMALL.test(message)) return ofClass("terminal");
  if (reason === "OperationNotAllowed" && !OF_A_QUOTA.test(message)) return ofClass("retryable");
  if (reason === "SkuNotAvailable" && OF_CAPACITY.test(message)) return ofClass("capacity");
  return ofCode("azure", reason);
}

function said(condition: ProviderCondition): ProviderCondition {
  const { message } = condition;
  return message === undefined ? condition : { ...condition, ...(loginError(message) ?? { message: words(message) }) };
}

/** Azure Service Operator: severity Error means that it gave up; it tries a Warning again, whose code may say more. */
export const azure: Rule = (resource, conditions) => {
  const found = find(conditions, "Ready");
  if (!found) return UNSEEN;
  const condition = said(found);
  const { severity } = condition;
  const waits = WAITS.has(condition.reason ?? "");
  const known = severity === "Warning" ? knownOf(condition) : {};
  const failed = { terminal: severity === "Error", retrying: severity === "Warning", ...known, waits };
  return fromReady(resource, condition) ?? notReady(condition, failed);
};
