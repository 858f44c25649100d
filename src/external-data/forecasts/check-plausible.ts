import { LandfallError } from "../../errors.ts";
import type { ZoneForecast } from "../../model/places/forecast.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../model/time.ts";

const STEP = { least: MINUTE_SECONDS, most: DAY_SECONDS } as const;
/** The end of the year 9999, in seconds since 1970. */
const LAST_TIME = 253_402_300_799;
/** More than five weeks of values at five minutes. */
const MOST_VALUES = 10_080;
/** Less than this counts as zero, in gCO2e/kWh: it attracts every choice as zero does. */
const LEAST = 1;
/** A real grid emits something within this time: zeros for longer are missing values. */
const ZERO_SECONDS = DAY_SECONDS;
/** How far ahead of this machine's clock a source may be. */
const AHEAD = { issuedAt: HOUR_SECONDS, start: 8 * DAY_SECONDS, end: 40 * DAY_SECONDS } as const;

const isTime = (time: number): boolean => Number.isInteger(time) && time >= 0 && time <= LAST_TIME;

/** The longest run of zeros, in values. */
function longestZero(values: readonly number[]): number {
  let [longest, run] = [0, 0];
  for (const value of values) {
    run = value < LEAST ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

function problemOf({ issuedAt, start, stepSeconds, values }: ZoneForecast): string | null {
  if (!Number.isInteger(stepSeconds) || stepSeconds < STEP.least || stepSeconds > STEP.most)
    return `its step is ${String(stepSeconds)} s, outside ${String(STEP.least)} to ${String(STEP.most)} s`;
  if (values.length > MOST_VALUES) return `it has ${String(values.length)} values, more than ${String(MOST_VALUES)}`;
  if (!isTime(issuedAt) || !isTime(start)) return "its times are outside the years 1970 to 9999";
  const hours = (longestZero(values) * stepSeconds) / HOUR_SECONDS;
  return hours * HOUR_SECONDS >= ZERO_SECONDS
    ? `it is less than ${String(LEAST)} g/kWh for ${String(hours)} hours`
    : null;
}

function aheadProblem({ issuedAt, start, stepSeconds, values }: ZoneForecast, nowSeconds: number): string | null {
  if (issuedAt - nowSeconds > AHEAD.issuedAt) return "it was issued in the future";
  if (start - nowSeconds > AHEAD.start) return "it starts more than 8 days from now";
  return start + values.length * stepSeconds - nowSeconds > AHEAD.end ? "it ends more than 40 days from now" : null;
}

/**
 * Checks step, times, length and values of a forecast, and with `nowSeconds` also that it is not of the future. Throws
 * FORECAST_IMPLAUSIBLE.
 */
export function checkPlausible(
  forecast: ZoneForecast,
  source: string,
  zone: string,
  nowSeconds?: number,
): ZoneForecast {
  const detail = problemOf(forecast) ?? (nowSeconds === undefined ? null : aheadProblem(forecast, nowSeconds));
  if (detail !== null) throw new LandfallError("FORECAST_IMPLAUSIBLE", { source, zone, detail });
  return forecast;
}
