import { isObject, stringOf } from "../../../model/json.ts";
import type { Resource } from "../../types.ts";
import { classOf } from "./error-classes.ts";
import { conditionsOf, find, isTrue, notReady, ofClass, type Readiness } from "./state.ts";

/** States that EKS does not leave. https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html */
const GIVEN_UP = new Set(["CREATE_FAILED", "DELETE_FAILED", "FAILED"]);
/** A node group that is not well, which EKS may bring back. */
const DEGRADED = "DEGRADED";
/** `Could not launch On-Demand Instances. VcpuLimitExceeded - You have…`: EC2's code within an issue of EKS. */
const OF_EC2 = /\b([A-Z][A-Za-z]{4,60}(?:\.[A-Z][A-Za-z]{1,60})?) - /;

interface Issue {
  code: string;
  message: string;
}

/** The first issue of a status; null for none. */
function firstIssue(health: unknown): Issue | null {
  const issues = isObject(health) && Array.isArray(health["issues"]) ? health["issues"] : [];
  const [issue] = issues.filter(isObject);
  return issue === undefined ? null : { code: stringOf(issue["code"]), message: stringOf(issue["message"]) };
}

/** The issue by EC2's code, where its message has one that is known. */
function inWordsOfEc2({ code, message }: Issue): Issue {
  const found = OF_EC2.exec(message);
  const inner = found?.[1];
  if (found === null || inner === undefined || classOf("aws", inner) === null) return { code, message };
  return { code: inner, message: message.slice(found.index + found[0].length) };
}

/** A state that is one, without an issue that says why; null for others. */
function unexplained(state: string): Issue | null {
  if (state !== DEGRADED && !GIVEN_UP.has(state)) return null;
  return { code: state, message: `EKS calls it ${state}, and names no issue` };
}

/**
 * EKS's message about a cluster or node group that is not ready: it makes nodes after it has accepted the request, so no call fails, and ACK
 * has no error. Null for a resource that is well, or of another service.
 */
export function eksIssue({ apiVersion, status = {} }: Resource): Readiness | null {
  if (!apiVersion.startsWith("eks.services.k8s.aws/")) return null;
  const state = stringOf(status["status"]);
  const isGivenUp = GIVEN_UP.has(state);
  const issue = firstIssue(status["health"]) ?? unexplained(state);
  if (issue === null) return null;
  const { code, message } = inWordsOfEc2(issue);
  const known = isGivenUp ? { terminal: true } : { retrying: true, ...ofClass(classOf("aws", code)) };
  return notReady({ reason: code, message }, known);
}

/** ACK's words for a cluster that is to be deleted, as long as EKS lists node groups of it. */
export const STILL_IN_USE = "cluster is still in use, cannot be deleted";

/**
 * The wait of a cluster that is being deleted: ACK lets a Nodegroup go when EKS has accepted its deletion, so no resource shows that EKS still
 * drains its nodes. Null for others.
 */
export function drainsFirst(resource: Resource): Readiness | null {
  const again = find(conditionsOf(resource), "ACK.Recoverable");
  if (!isTrue(again) || again?.message !== STILL_IN_USE) return null;
  const { spec = {}, metadata } = resource;
  const name = stringOf(spec["name"]) || (metadata.name ?? "");
  const shown = `aws eks list-nodegroups --cluster-name ${name} shows those that are left`;
  const message = `EKS drains and deletes the node groups of the cluster first: ${shown}`;
  return notReady({ reason: "Deleting", message });
}
