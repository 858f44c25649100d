import type { DecisionRequest } from "../../admission/types.ts";
import { stringOf } from "../../model/json.ts";
import type { Explanation } from "../contract/object.ts";
import { askRules } from "../map/places-map.ts";

/** The place that the rules measure latency from, and who names it: the rules take the first of these that does. Null for none. */
export function originOf({ object, namespace, policy, nowSeconds }: DecisionRequest): Explanation["origin"] {
  const own = stringOf(object.spec?.["origin"]) || null;
  const { origin } = askRules({ policy, namespace, nowSeconds, origin: own });
  if (origin === null) return null;
  if (own !== null) return { place: origin, from: "object" };
  const isOfNamespace = [namespace.annotations, namespace.labels].some((set) => "landfall.dev/origin" in set);
  return { place: origin, from: isOfNamespace ? "namespace" : "platform" };
}
