import { HOUR_SECONDS, WEEK_HOURS } from "../model/time.ts";

/** Measured: more waits too often, less starts too early; between 0.3 and 0.5 little changes. */
const WORTH = 0.35;

export interface Deferral {
  /** Seconds since 1970. */
  nowSeconds: number;
  /** Seconds since 1970. */
  latestStart: number;
}

/**
 * How much a start in the future counts as better than its forecast to somebody who decides again each hour, in standard errors
 * of what the forecast says that waiting changes: should it turn out worse, another start is taken, should it turn out
 * better, the gain is kept. It grows with the time that is left to choose.
 */
export const optionValue = ({ nowSeconds, latestStart }: Deferral): number =>
  WORTH * Math.sqrt(Math.min(1, Math.max(0, latestStart - nowSeconds) / HOUR_SECONDS / WEEK_HOURS));
