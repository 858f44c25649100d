import type { Decision, Placement } from "../../model/decision.ts";
import { parseTime } from "../../model/time.ts";
import { intensityCurves } from "../decide/intensity-curves.ts";
import type { DecisionRequest } from "../types.ts";

const timeOf = (time: string): number => parseTime(time) ?? 0;

/**
 * The decision for a planned start with the parts of a run that was planned to pause: their CO2e by today's forecast
 * instead of that of one continuous run. Unchanged for other runs.
 */
export function withParts(request: DecisionRequest, here: Decision, { segments, end }: Placement): Decision {
  const { placement } = here;
  const curve = intensityCurves(request).get(placement?.carbon?.zone ?? "");
  if (segments === undefined || placement === null || curve === undefined) return here;
  const emitted = (from: number, to: number): number => curve.meanOver(from, to - from) * (to - from);
  const whole = emitted(timeOf(placement.start), timeOf(placement.end ?? placement.start));
  const parts = segments.reduce((sum, part) => sum + emitted(timeOf(part.start), timeOf(part.end)), 0);
  const gramsCO2 = placement.gramsCO2 === null || !(whole > 0) ? null : (placement.gramsCO2 * parts) / whole;
  return { ...here, placement: { ...placement, segments, end, gramsCO2 } };
}
