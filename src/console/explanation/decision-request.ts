import type { DecisionRequest } from "../../admission/types.ts";
import { parseSignature } from "../../model/decision-annotation/signature.ts";
import { stripDecision } from "../../model/decision-annotation/strip-decision.ts";
import type { NamespaceData, Resource } from "../../model/kubernetes.ts";
import { ANNOTATION, type Kind } from "../../model/names.ts";
import type { ForecastBook } from "../../model/places/forecast.ts";
import { parseTime } from "../../model/time.ts";
import type { PlaceKey } from "../../model/workload.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";

/** With what the console decides again. */
export interface Decider {
  policy: LoadedBundle;
  /** The forecasts that the console was started with; null for the bundle's climatology alone. */
  forecasts: () => ForecastBook | null;
}

/** When the recorded decision was made, in seconds since 1970: its signature says it. */
export function decidedAt({ metadata }: Resource, nowSeconds: number): number {
  const signature = parseSignature(metadata.annotations?.[ANNOTATION.seal] ?? "");
  if (signature !== null && signature.use !== "legacy") return signature.at;
  return parseTime(metadata.creationTimestamp ?? "") ?? nowSeconds;
}

/** The request that decides an object as a new one at a time, without the other objects of the cluster. Pure. */
export const requestOf = (
  object: Resource,
  namespace: NamespaceData,
  { policy, forecasts }: Decider,
  nowSeconds: number,
): DecisionRequest => ({
  ...{ kind: object.kind as Kind, object: stripDecision(object), namespace, policy, operation: "CREATE" },
  ...{ nowSeconds, relatedWorkloads: null, forecasts: forecasts() },
});

/** The fields that keep a decision in a place. */
export function pinsOf(place: PlaceKey): { provider: string; schedulingLocation: string } {
  const [provider = "", schedulingLocation = ""] = place.split("/");
  return { provider, schedulingLocation };
}
