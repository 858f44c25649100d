const HOUR = 3600;
const WEEK_HOURS = 168;
/** Measured on the series of 2022: more waits too often, less starts too early. */
const WORTH = 0.2;

export interface Deferral {
  /** Seconds since 1970. */
  now: number;
  /** Seconds since 1970. */
  latestStart: number;
  /** Standard error of the forecast by whole hours ahead, gCO2eq/kWh. */
  errors: Float64Array;
}

/**
 * What a start in the future is worth beyond its forecast mean (gCO2eq/kWh, by whole hours ahead) to somebody who decides
 * again each hour: should it turn out worse, another one is taken, should it turn out better, the gain is kept. It grows
 * with the error of the forecast at that lead and with the time that is left to choose.
 */
export function worthOfWaiting({ now, latestStart, errors }: Deferral): Float64Array {
  const patience = WORTH * Math.sqrt(Math.min(1, Math.max(0, latestStart - now) / HOUR / WEEK_HOURS));
  return errors.map((error, lead) => (lead === 0 ? 0 : patience * error));
}
