import { stringify } from "yaml";
import { readDecision } from "../../model/decision-annotation/compact-decision.ts";
import { KUBERNETES_YAML } from "../../model/formats/kubernetes-yaml.ts";
import { isObject } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { ObjectReport } from "../contract/object.ts";
import type { Row } from "../contract/rows.ts";
import { rowOf } from "../objects/row-of.ts";
import { toldConditions } from "../objects/told-conditions.ts";
import { lifeOf } from "./life-of.ts";

type Given = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const figure = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
const count = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
const objects = (value: unknown): Given[] => (Array.isArray(value) ? value.filter(isObject) : []);

function bundleOf(policy: unknown): ObjectReport["bundle"] {
  if (!isObject(policy)) return null;
  return { digest: text(policy["digest"]), revision: text(policy["revision"]) };
}

/** The decision as admission wrote it, unchecked: anyone who can write the object can write anything there. */
function decidedPart(
  decision: Given,
): Pick<ObjectReport, "why" | "considered" | "eligible" | "alternatives" | "degraded" | "bundle"> {
  const { why, considered, eligible, alternatives, degraded, policy } = decision;
  return {
    why: texts(why),
    considered: count(considered),
    eligible: count(eligible),
    alternatives: objects(alternatives).map(({ place, gramsCO2, pricePerHour }) => ({
      place: text(place),
      grams: figure(gramsCO2),
      usdPerHour: figure(pricePerHour),
    })),
    degraded: texts(degraded),
    bundle: bundleOf(policy),
  };
}

/** The object as YAML, without the field that records who wrote what: it is longer than all others. */
function yamlOf(object: Resource): string {
  const { managedFields: _, ...metadata } = object.metadata as Resource["metadata"] & { managedFields?: unknown };
  return stringify({ ...object, metadata }, { ...KUBERNETES_YAML, lineWidth: 0 });
}

/** An object with all that admission wrote and the controllers report. Pure. */
export function objectReport(
  object: Resource,
  { verdict, signature, nowSeconds }: Pick<Row, "verdict"> & Pick<ObjectReport, "signature"> & { nowSeconds: number },
): ObjectReport {
  const decision = readDecision(object);
  const row = rowOf(object, verdict);
  return {
    row,
    ...decidedPart((decision ?? {}) as Given),
    signature,
    conditions: toldConditions(object).map(({ lastTransitionTime: since, ...told }) => ({ ...told, since })),
    life: lifeOf(object, row, decision, nowSeconds),
    managed: objects(object.status?.["managed"]).map(({ apiVersion, resource, name, namespace }) => ({
      ...{ apiVersion: text(apiVersion), resource: text(resource), name: text(name), namespace: text(namespace) },
    })),
    yaml: yamlOf(object),
  };
}
