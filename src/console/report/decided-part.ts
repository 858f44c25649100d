import { readDecision } from "../../model/decision-annotation/compact-decision.ts";
import { isObject, stringOf } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { WrittenField } from "../../model/workload.ts";
import type { ObjectReport } from "../contract/object.ts";

type Given = Record<string, unknown>;

const figure = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
const count = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
const objects = (value: unknown): Given[] => (Array.isArray(value) ? value.filter(isObject) : []);

function bundleOf(policy: unknown): ObjectReport["bundle"] {
  if (!isObject(policy)) return null;
  return { digest: stringOf(policy["digest"]), revision: stringOf(policy["revision"]) };
}

/** The choices that the user made: fields of the spec that admission did not write. */
function fixedOf(spec: Given, written: string[]): ObjectReport["fixed"] {
  const isFixed = (field: WrittenField): boolean => spec[field] !== undefined && !written.includes(field);
  return {
    provider: isFixed("provider"),
    region: isFixed("schedulingLocation"),
    instanceType: isFixed("instanceType") || isFixed("poolInstanceTypes"),
    start: isFixed("schedulingTime"),
  };
}

/** The decision as admission wrote it, unchecked: anyone who can write the object can write anything there. */
export function decidedPart(
  object: Resource,
): Pick<ObjectReport, "why" | "considered" | "eligible" | "alternatives" | "degraded" | "bundle" | "fixed"> {
  const decision = (readDecision(object) ?? {}) as Given;
  const { why, considered, eligible, alternatives, degraded, policy, written } = decision;
  return {
    why: texts(why),
    considered: count(considered),
    eligible: count(eligible),
    alternatives: objects(alternatives).map(({ place, gramsCO2, pricePerHour }) => ({
      place: stringOf(place),
      grams: figure(gramsCO2),
      usdPerHour: figure(pricePerHour),
    })),
    degraded: texts(degraded),
    bundle: bundleOf(policy),
    fixed: fixedOf(object.spec ?? {}, texts(written)),
  };
}
