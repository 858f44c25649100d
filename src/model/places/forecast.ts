import type { ErrorCode, ErrorParams } from "../../errors.ts";

/** One source's forecast of one electricity zone: values in equal steps, without gaps. */
export interface ZoneForecast {
  /** Time of issue, in seconds since 1970. */
  issuedAt: number;
  /** Beginning of the first step, in seconds since 1970. */
  start: number;
  stepSeconds: number;
  /** Mean of each step, gCO2eq/kWh. */
  values: number[];
  /** Error band: the source's expected range, gCO2eq/kWh; null if it has none. */
  band: { low: number[]; high: number[] } | null;
}

/** Why a source has no forecast of a zone. Plain data: it is sent between processes. */
export interface ForecastProblem {
  code: ErrorCode;
  params: ErrorParams;
}

/** One of the sources in the settings, with its last result. */
export interface ForecastSource {
  name: string;
  /** Maximum age of a usable forecast. */
  maxAgeSeconds: number;
  /** electricity zone -> its newest forecast */
  zones: Record<string, ZoneForecast>;
  /** electricity zone -> why the last attempt returned nothing. */
  problems: Record<string, ForecastProblem>;
  /** A problem of the source as a whole; null if there is none. */
  problem: ForecastProblem | null;
}

/**
 * All forecasts, in the order of preference. Climatology covers the rest. Plain data, replaced as a whole and never
 * changed.
 */
export interface ForecastBook {
  sources: ForecastSource[];
}

/** End of a forecast, in seconds since 1970. */
export const forecastEnd = ({ start, stepSeconds, values }: ZoneForecast): number =>
  start + stepSeconds * values.length;
