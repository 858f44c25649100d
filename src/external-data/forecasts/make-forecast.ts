import { LandfallError } from "../../errors.ts";
import type { ZoneForecast } from "../../model/places/forecast.ts";
import { checkPlausible } from "./check-plausible.ts";
import { HOUR_SECONDS, formatTime } from "../../model/time.ts";

/** One value of a source. */
export interface Point {
  /** Beginning, in seconds since 1970. */
  time: number;
  /** gCO2eq/kWh */
  value: number;
  low?: number | undefined;
  high?: number | undefined;
}

export interface Origin {
  source: string;
  zone: string;
  /** Seconds since 1970; null if the source does not state it: then the first value's time is used. */
  issuedAt: number | null;
  /** gCO2eq/kWh; more is implausible. */
  maxIntensity: number;
  /** Default step of a source with a single value. */
  stepSeconds?: number;
}

/** Tolerance of a value outside its band, gCO2eq/kWh: services round. */
const ROUNDING = 0.5;

function stepOf(points: readonly Point[], { source, zone, stepSeconds = HOUR_SECONDS }: Origin): number {
  const [first, second] = points;
  if (first === undefined) throw new LandfallError("FORECAST_ZONE", { source, zone });
  if (second === undefined) return stepSeconds;
  const step = second.time - first.time;
  const odd = points.find(({ time }, index) => time !== first.time + index * step);
  if (odd === undefined && step > 0) return step;
  throw new LandfallError("FORECAST_GAP", { source, zone, time: formatTime((odd ?? second).time) });
}

function checkValues(points: readonly Point[], { source, zone, maxIntensity }: Origin): void {
  const isSound = (value: number): boolean => Number.isFinite(value) && value >= 0 && value <= maxIntensity;
  for (const { time, value, low = value, high = value } of points) {
    const bad = [value, low, high].find((figure) => !isSound(figure));
    if (bad === undefined) {
      const holds = low <= value + ROUNDING && value <= high + ROUNDING;
      if (holds) continue;
      throw new LandfallError("FORECAST_BAND", { source, zone, value, low, high, time: formatTime(time) });
    }
    throw new LandfallError("FORECAST_VALUE", {
      ...{ source, zone, value: String(bad), limit: maxIntensity },
      time: formatTime(time),
    });
  }
}

/** Values sorted by time without duplicates; the later one of two for the same time wins. */
const inOrder = (points: readonly Point[]): Point[] =>
  [...new Map(points.map((point) => [point.time, point])).values()].sort((a, b) => a.time - b.time);

/**
 * Makes a forecast of these values. Throws FORECAST_ZONE if there are none, FORECAST_GAP for gaps, FORECAST_VALUE for a
 * negative or implausible value, FORECAST_BAND for one outside its band, FORECAST_IMPLAUSIBLE for times, steps or zeros that
 * cannot be real: one wrong value makes the whole forecast unusable.
 */
export function makeForecast(unordered: readonly Point[], origin: Origin): ZoneForecast {
  const points = inOrder(unordered);
  const stepSeconds = stepOf(points, origin);
  checkValues(points, origin);
  const start = points[0]?.time ?? 0;
  const banded = points.every(({ low, high }) => low !== undefined && high !== undefined);
  const low = points.map((point) => point.low ?? point.value);
  const high = points.map((point) => point.high ?? point.value);
  const forecast = {
    issuedAt: origin.issuedAt ?? start,
    start,
    stepSeconds,
    values: points.map(({ value }) => value),
    band: banded ? { low, high } : null,
  };
  return checkPlausible(forecast, origin.source, origin.zone);
}
