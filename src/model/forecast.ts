import type { ErrorCode, ErrorParams } from "../errors.ts";

/** What one source says about one electricity zone: figures in equal steps, without gaps. */
export interface ZoneForecast {
  /** When it was made, in seconds since 1970. */
  issuedAt: number;
  /** Seconds since 1970 of the first step's beginning. */
  start: number;
  stepSeconds: number;
  /** Mean of each step, gCO2eq/kWh. */
  values: number[];
  /** Error band: where the source expects the figure to lie, gCO2eq/kWh; null where it says nothing. */
  band: { low: number[]; high: number[] } | null;
}

/** Why a source has nothing about a zone. Plain data: it crosses threads. */
export interface ForecastProblem {
  code: ErrorCode;
  params: ErrorParams;
}

/** One of the sources that the settings name, with what it said last. */
export interface ForecastSource {
  name: string;
  /** A forecast that is older than this is not used any more. */
  maxAgeSeconds: number;
  /** electricity zone -> its newest forecast */
  zones: Record<string, ZoneForecast>;
  /** electricity zone -> why the newest attempt gave nothing. */
  problems: Record<string, ForecastProblem>;
  /** What is wrong with the source as a whole; null where nothing is. */
  problem: ForecastProblem | null;
}

/**
 * Everything that is known about the coming hours, in the order in which it is asked. What no source covers is the
 * catalog's climatology. Plain data, replaced as a whole and never changed.
 */
export interface ForecastBook {
  sources: ForecastSource[];
}

/** Seconds since 1970 up to which a forecast reaches. */
export const forecastEnd = ({ start, stepSeconds, values }: ZoneForecast): number =>
  start + stepSeconds * values.length;
