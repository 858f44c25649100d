import { LandfallError } from "../../errors.ts";
import type { ZoneForecast } from "../../model/forecast.ts";
import { HOUR_SECONDS, formatTime } from "../../model/time.ts";

/** One figure of a source. */
export interface Point {
  /** Seconds since 1970 of its beginning. */
  time: number;
  /** gCO2eq/kWh */
  value: number;
  low?: number | undefined;
  high?: number | undefined;
}

export interface Origin {
  source: string;
  zone: string;
  /** Seconds since 1970; null where the source does not say: then it was made no later than its first figure. */
  issuedAt: number | null;
  /** gCO2eq/kWh; more is absurd. */
  maxIntensity: number;
  /** Of a source with a single figure. */
  stepSeconds?: number;
}

/** A band may miss its figure by so much, gCO2eq/kWh: services round. */
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

/** Figures in order of time, each once: the later one of two for the same time holds. */
const inOrder = (points: readonly Point[]): Point[] =>
  [...new Map(points.map((point) => [point.time, point])).values()].sort((a, b) => a.time - b.time);

/**
 * A forecast of these figures. Throws FORECAST_ZONE where there are none, FORECAST_GAP where they have gaps,
 * FORECAST_VALUE where one is negative or absurd, FORECAST_BAND where one lies outside its band: a source that is wrong once is not believed elsewhere.
 */
export function makeForecast(unordered: readonly Point[], origin: Origin): ZoneForecast {
  const points = inOrder(unordered);
  const stepSeconds = stepOf(points, origin);
  checkValues(points, origin);
  const start = points[0]?.time ?? 0;
  const banded = points.every(({ low, high }) => low !== undefined && high !== undefined);
  const low = points.map((point) => point.low ?? point.value);
  const high = points.map((point) => point.high ?? point.value);
  return {
    issuedAt: origin.issuedAt ?? start,
    start,
    stepSeconds,
    values: points.map(({ value }) => value),
    band: banded ? { low, high } : null,
  };
}
