import type { AdmissionRequest, Outcome } from "../../../src/admission/types.ts";
import { runHours } from "../../../src/model/runs/run-times.ts";
import type { PlacedFigures } from "../../review/answer-review.ts";

/** The figures of a new object's decision, for metrics; null for a change, a dry run and a denial. */
export function figuresOf(
  { operation, dryRun }: Pick<AdmissionRequest, "operation" | "dryRun">,
  outcome: Outcome,
): PlacedFigures | null {
  const placement = outcome.allowed ? outcome.decision?.placement : undefined;
  if (operation !== "CREATE" || dryRun === true || !placement) return null;
  const { provider, gramsCO2: grams, baselineGramsCO2: baselineGrams, pricePerHour, baselineUsd = null } = placement;
  const hours = runHours(placement);
  const usd = pricePerHour === null ? null : pricePerHour * (hours ?? 1);
  return { provider, per: hours === null ? "hour" : "run", grams, baselineGrams, usd, baselineUsd };
}
