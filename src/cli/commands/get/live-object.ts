import { type Condition, conditionsOf, type Resource } from "../../../model/kubernetes.ts";
import { type CompactDecision, readDecision } from "../../../model/decision-annotation/compact-decision.ts";
import type { Placement } from "../../../model/decision.ts";
import { isObject, textOf } from "../../../model/json.ts";

/** The part of an object that `landfall get` shows: the decision on it and its status, as they are. */
export interface LiveObject {
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  /** Null for an object without one, or with one of another version. */
  decision: (CompactDecision & { placement: Placement }) | null;
  machine?: unknown;
  endpoint?: unknown;
  pools?: unknown;
  managed: string[];
  conditions: Condition[];
}

const TEXTS = ["provider", "region", "instanceType", "start"] as const;
const FIGURES = ["pricePerHour", "gramsCO2", "baselineGramsCO2", "latencyMs"] as const;

/** Decisions of other versions can lack a figure, which is then unknown. Null without what every placement has. */
function readable(found: CompactDecision | null): LiveObject["decision"] {
  if (found === null) return null;
  if (!isObject(found.policy) || ![found.why, found.alternatives, found.degraded].every(Array.isArray)) return null;
  const given = found.placement as unknown as Record<string, unknown>;
  if (TEXTS.some((field) => typeof given[field] !== "string")) return null;
  const figures = FIGURES.map((field) => [field, typeof given[field] === "number" ? given[field] : null] as const);
  const { carbon, end, zone } = given;
  const placement = {
    ...found.placement,
    ...Object.fromEntries(figures),
    end: typeof end === "string" ? end : null,
    zone: typeof zone === "string" ? zone : null,
    carbon: isObject(carbon) ? carbon : null,
  } as Placement;
  return { ...found, placement };
}

function managedOf(managed: unknown): string[] {
  if (!Array.isArray(managed)) return [];
  return managed.filter(isObject).map(({ resource, name }) => `${textOf(resource)}/${textOf(name)}`);
}

/** A report about an object of a cluster. Nothing is decided. */
export function liveObject(object: Resource): LiveObject {
  const { kind, metadata } = object;
  const status = isObject(object.status) ? object.status : {};
  const { machine, endpoint, pools, managed } = status;
  return {
    ...{ kind, namespace: metadata.namespace ?? "", name: metadata.name ?? "", uid: metadata.uid ?? "" },
    decision: readable(readDecision(object)),
    ...(machine === undefined ? {} : { machine }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(pools === undefined ? {} : { pools }),
    managed: managedOf(managed),
    conditions: conditionsOf({ status }),
  };
}
