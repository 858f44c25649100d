import type { Decision, Placement } from "../../model/decision.ts";
import { parseTime } from "../../model/time.ts";
import { finish, summarise } from "../decide/decision-document.ts";
import { intensityCurves } from "../decide/intensity-curves.ts";
import type { DecisionRequest } from "../types.ts";

const timeOf = (time: string): number => parseTime(time) ?? 0;

/** The CO2e of these parts by the current forecast; null if it is not known. */
function gramsOf(
  request: DecisionRequest,
  placement: Placement,
  segments: NonNullable<Placement["segments"]>,
): number | null {
  const curve = intensityCurves(request).get(placement.carbon?.zone ?? "");
  if (curve === undefined || placement.gramsCO2 === null) return null;
  const emitted = (from: number, to: number): number => curve.meanOver(from, to - from) * (to - from);
  const whole = emitted(timeOf(placement.start), timeOf(placement.end ?? placement.start));
  const parts = segments.reduce((sum, part) => sum + emitted(timeOf(part.start), timeOf(part.end)), 0);
  return whole > 0 ? (placement.gramsCO2 * parts) / whole : null;
}

/**
 * The decision for a planned start with the parts of a run that was planned to pause: their end, and their CO2e by the current forecast
 * instead of that of one continuous run. Unchanged for other runs.
 */
export function withParts(
  request: DecisionRequest,
  here: Decision,
  { segments, end }: Pick<Placement, "segments" | "end">,
): Decision {
  const { id: _id, summary, ...body } = here;
  if (segments === undefined || body.placement === null) return here;
  const gramsCO2 = gramsOf(request, body.placement, segments);
  const parts = segments.length > 1 ? { segments } : {};
  const placement = { ...body.placement, ...parts, end, gramsCO2 };
  const told = summary === undefined ? {} : { summary: summarise(placement, request.nowSeconds, request.object.spec) };
  return finish({ ...body, placement, ...told });
}
