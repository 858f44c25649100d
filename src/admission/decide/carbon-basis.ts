import type { CarbonBasis } from "../../model/decision.ts";
import { HOUR_SECONDS, formatTime } from "../../model/time.ts";
import type { ScoredPlace } from "../../placement/choose-placement.ts";
import { powerKw } from "../../placement/energy.ts";
import { ForecastCurve } from "../../placement/forecast-curve.ts";
import { intensityCurves } from "./intensity-curves.ts";
import type { DecisionRequest } from "../types.ts";

const timeOf = (seconds: number | null): string | null => (seconds === null ? null : formatTime(seconds));
const cents = (value: number): number => Math.round(value * 100) / 100;

/** The grams that the start counted as less than its forecast; nothing where none did. */
function forWaiting({ gramsCO2, countedGrams }: ScoredPlace): Pick<CarbonBasis, "gramsForWaiting"> {
  const gramsForWaiting = cents((gramsCO2 ?? 0) - (countedGrams ?? 0));
  return gramsForWaiting > 0 ? { gramsForWaiting } : {};
}

/** What the carbon figure of a choice rests on; null where its zone has none. */
export function carbonBasis(
  request: DecisionRequest,
  chosen: ScoredPlace,
  durationSeconds: number | null,
): CarbonBasis | null {
  const { candidate, start } = chosen;
  const zone = candidate.electricityZone;
  const curve = zone === null ? undefined : intensityCurves(request).get(zone);
  if (zone === null || curve === undefined) return null;
  const { source, issuedAt, until } = curve;
  const counted = forWaiting(chosen);
  const basis = { zone, source, issuedAt: timeOf(issuedAt), until: timeOf(until) };
  const band =
    curve instanceof ForecastCurve && durationSeconds !== null ? curve.bandOver(start, durationSeconds) : null;
  if (band === null || durationSeconds === null) return { ...basis, gramsLow: null, gramsHigh: null, ...counted };
  const kilowattHours = (powerKw(request.policy.catalog.power, candidate) * durationSeconds) / HOUR_SECONDS;
  const [gramsLow, gramsHigh] = [cents(band.low * kilowattHours), cents(band.high * kilowattHours)];
  return { ...basis, gramsLow, gramsHigh, ...counted };
}
