import { bandOver } from "../../admission/decide/intensity-curves.ts";
import type { ZoneForecast } from "../../model/places/forecast.ts";
import type { IntensityCurve } from "../../model/places/intensity.ts";
import { HOUR_SECONDS } from "../../model/time.ts";
import type { ZoneHour } from "../contract/timeline.ts";

/** The measured mean of the hour that begins then; null if it was not measured. */
function measuredAt(measured: ZoneForecast | undefined, seconds: number): number | null {
  if (measured === undefined) return null;
  const at = (seconds - measured.start) / measured.stepSeconds;
  return measured.stepSeconds === HOUR_SECONDS && Number.isInteger(at) ? (measured.values[at] ?? null) : null;
}

/** Whether the forecast of a curve says something about the hour that begins then. */
const isForecast = ({ issuedAt, until }: IntensityCurve, seconds: number): boolean =>
  issuedAt !== null && until !== null && seconds + HOUR_SECONDS > issuedAt && seconds < until;

/** The hours of a zone, from the first one (seconds since 1970), each as it is known best. Pure. */
export function zoneHours(
  curve: IntensityCurve,
  measured: ZoneForecast | undefined,
  { from, hours }: { from: number; hours: number },
): ZoneHour[] {
  return Array.from({ length: hours }, (_, at): ZoneHour => {
    const seconds = from + at * HOUR_SECONDS;
    const known = measuredAt(measured, seconds);
    if (known !== null) return { value: known, known: "measured", low: null, high: null };
    const value = curve.meanOver(seconds, HOUR_SECONDS);
    if (!isForecast(curve, seconds)) return { value, known: "expected", low: null, high: null };
    const { low, high } = bandOver(curve, seconds, HOUR_SECONDS) ?? { low: null, high: null };
    return { value, known: "forecast", low, high };
  });
}
