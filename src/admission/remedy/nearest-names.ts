import { findArea } from "../../model/places/find-area.ts";
import { nearest } from "../../model/text/nearest.ts";
import type { PolicyDenial } from "../../model/policy.ts";
import type { DecisionRequest } from "../types.ts";
import type { Fields } from "./change.ts";

/** A name of the catalog that an object may mean. */
export interface NearestName {
  /** Fields of spec with it. */
  fields: Fields;
  /** `schedulingLocation italynorth` */
  text: string;
}

type Find = (request: DecisionRequest, actual: string) => NearestName | null;

const single = (field: string, value: string | null): NearestName | null =>
  value === null ? null : { fields: { [field]: value }, text: `${field} ${value}` };

function region({ object, policy }: DecisionRequest, actual: string): NearestName | null {
  const provider = object.spec?.["provider"];
  const places = Object.keys(policy.catalog.places).filter(
    (key) => typeof provider !== "string" || key.startsWith(`${provider}/`),
  );
  return single("schedulingLocation", nearest(actual, new Set(places.map((key) => key.split("/")[1] ?? ""))));
}

function origin({ object, policy }: DecisionRequest, actual: string): NearestName | null {
  // The namespace's or the platform's is not the object's to correct.
  return object.spec?.["origin"] === actual
    ? single("origin", nearest(actual, Object.keys(policy.catalog.places)))
    : null;
}

function area({ object }: DecisionRequest, actual: string): NearestName | null {
  const areas = object.spec?.["dataResidency"];
  const meant = findArea(actual);
  if (!Array.isArray(areas) || meant === null || meant === actual) return null;
  const dataResidency = areas.map((one: unknown) => (one === actual ? meant : one));
  return { fields: { dataResidency }, text: `dataResidency [${dataResidency.join(", ")}]` };
}

function instanceType({ object, policy }: DecisionRequest, actual: string): NearestName | null {
  const provider = object.spec?.["provider"];
  const types = policy.catalog.types ?? {};
  const names = typeof provider === "string" ? (types[provider] ?? []) : Object.values(types).flat();
  // Every digit of a type counts: another size is another machine.
  return names.includes(actual) ? null : single("instanceType", nearest(actual, names, 1));
}

const FINDERS: Readonly<Record<string, Find>> = {
  POL_UNKNOWN_REGION: region,
  POL_UNKNOWN_ORIGIN: origin,
  POL_UNKNOWN_AREA: area,
  POL_INSTANCE_TYPE: instanceType,
};

/** The name of the catalog that is most like the one that a denial says is unknown; null if none is near, or nothing is unknown. */
export function nearestName(request: DecisionRequest, { code, actual, source }: PolicyDenial): NearestName | null {
  if (source !== undefined || typeof actual !== "string") return null;
  return FINDERS[code]?.(request, actual) ?? null;
}
