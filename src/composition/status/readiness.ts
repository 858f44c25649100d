import { aws } from "./provider/aws.ts";
import { google } from "./provider/google.ts";
import { type Readiness, type Rule, conditionsOf, find, fromReady, notReady, READY, UNSEEN } from "./provider/state.ts";
import type { Resource } from "../types.ts";

/** Elemento: our own operator. The reason is Elemento's own word; the severity says whether it goes on trying. */
const elemento: Rule = (resource, conditions) => {
  const condition = find(conditions, "Ready");
  if (!condition) return UNSEEN;
  const { severity } = condition;
  const states = { terminal: severity === "Error", retrying: severity === "Warning" };
  return fromReady(resource, condition) ?? notReady(condition, states);
};

/** Azure Service Operator: severity Error is its word for "I gave up"; a Warning is tried again. */
const azure: Rule = (resource, conditions) => {
  const condition = find(conditions, "Ready");
  if (!condition) return UNSEEN;
  const { severity } = condition;
  const failed = { terminal: severity === "Error", retrying: severity === "Warning" };
  return fromReady(resource, condition) ?? notReady(condition, failed);
};

export type { Readiness } from "./provider/state.ts";

/** Any other kind: its Ready condition where it has one; a kind without is ready by being there. */
const other: Rule = (resource, conditions) => {
  const condition = find(conditions, "Ready");
  return condition ? (fromReady(resource, condition) ?? notReady(condition)) : READY;
};

const FAMILIES: readonly (readonly [suffix: string, rule: Rule])[] = [
  [".azure.com", azure],
  [".services.k8s.aws", aws],
  [".cnrm.cloud.google.com", google],
  ["elemento.landfall.dev", elemento],
];

/** How a resource is doing, read from its conditions by the rules of its provider's operator. Pure. */
export function readiness(resource: Resource): Readiness {
  const group = resource.apiVersion.split("/")[0] ?? "";
  if (resource.metadata.deletionTimestamp !== undefined) {
    return notReady({ reason: "Deleting", message: "it is being deleted" });
  }
  const rule = FAMILIES.find(([suffix]) => group.endsWith(suffix))?.[1] ?? other;
  return rule(resource, conditionsOf(resource));
}
