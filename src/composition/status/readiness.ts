import { aws, awsError } from "./provider/aws.ts";
import { azure } from "./provider/azure.ts";
import { drainsFirst } from "./provider/eks.ts";
import { elemento } from "./provider/elemento.ts";
import { google } from "./provider/google.ts";
import type { Readiness, Rule } from "./provider/state.ts";
import { conditionsOf, find, fromReady, notReady, READY } from "./provider/state.ts";
import type { Resource } from "../types.ts";
import { MOST, shortened } from "./status-limits.ts";

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

const groupOf = (resource: Resource): string => resource.apiVersion.split("/")[0] ?? "";

function judge(resource: Resource): Readiness {
  if (resource.metadata.deletionTimestamp !== undefined) {
    return notReady({ reason: "Deleting", message: "it is being deleted" });
  }
  const rule = FAMILIES.find(([suffix]) => groupOf(resource).endsWith(suffix))?.[1] ?? other;
  return rule(resource, conditionsOf(resource));
}

/** Texts of others reach conditions and Events only shortened. */
const inShort = (state: Readiness): Readiness => ({
  ...state,
  reason: shortened(state.reason, MOST.reason),
  message: shortened(state.message, MOST.message),
});

/** How a resource is doing, read from its conditions by the rules of its provider's operator. Pure. */
export const readiness = (resource: Resource): Readiness => inShort(judge(resource));

/** Whether its provider refuses to make a resource as it is, or cannot. */
export function isRefused(resource: Resource): boolean {
  const { capacity, terminal, retrying } = readiness(resource);
  return capacity || terminal || retrying;
}

/**
 * Why a resource that is being deleted still exists, in its operator's words. ACK leaves ResourceSynced and Ready as they
 * were and adds the error, so it is read first.
 */
export function deletionState(resource: Resource): Readiness {
  const { deletionTimestamp: _, ...metadata } = resource.metadata;
  const isAws = groupOf(resource).endsWith(".services.k8s.aws");
  const said = isAws ? (drainsFirst(resource) ?? awsError(conditionsOf(resource))) : null;
  return inShort(said ?? judge({ ...resource, metadata }));
}
