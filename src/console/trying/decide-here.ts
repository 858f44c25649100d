import { decideAlone } from "../../admission/decide/decide.ts";
import { stripDecision } from "../../model/decision-annotation/strip-decision.ts";
import type { Decision } from "../../model/decision.ts";
import type { NamespaceData } from "../../model/kubernetes.ts";
import { runHours } from "../../model/runs/run-times.ts";
import { placeName } from "../../model/workload.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import type { Tried, TriedPlacement } from "../contract/trying.ts";
import type { Written } from "./read-manifest.ts";

export interface HereOptions {
  policy: LoadedBundle;
  namespace: NamespaceData;
  nowSeconds: number;
}

function placementOf({ placement }: Decision): TriedPlacement | null {
  if (placement === null) return null;
  const { instanceType, start, end, pricePerHour, gramsCO2, baselineGramsCO2, now, latencyMs } = placement;
  const hours = runHours(placement);
  return {
    ...{ place: placeName(placement), instanceType, start, end, latencyMs },
    usdPerHour: pricePerHour,
    usd: pricePerHour === null || hours === null ? null : pricePerHour * hours,
    grams: gramsCO2,
    baselineGrams: baselineGramsCO2,
    nowGrams: now === undefined ? gramsCO2 : now.gramsCO2,
    latencyEstimated: placement.latencySource === "estimated",
  };
}

/** The decision by the console's own bundle, without the cluster's load, quotas in use and forecasts. */
export function decideHere(
  { kind, object }: Written,
  { policy, namespace, nowSeconds }: HereOptions,
): Pick<Tried, "denials" | "warnings" | "placement"> {
  const decision = decideAlone({
    ...{ kind, object: stripDecision(object), namespace, policy, nowSeconds, operation: "CREATE" },
    relatedWorkloads: null,
  });
  return {
    denials: decision.denials.map(({ code, message, remedy, field, patch }) => ({
      ...{ code, message, remedy, field },
      patch: patch === undefined ? null : JSON.stringify(patch),
    })),
    warnings: decision.warnings.map(({ message }) => message),
    placement: placementOf(decision),
  };
}
