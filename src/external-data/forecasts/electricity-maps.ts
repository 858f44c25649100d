import { LandfallError } from "../../errors.ts";
import type { ZoneForecast } from "../../model/places/forecast.ts";
import { HOUR_SECONDS, parseTime } from "../../model/time.ts";
import { answerChecker } from "./answer-checker.ts";
import { makeForecast, type Point } from "./make-forecast.ts";
import { openService, type Service } from "./open-service.ts";
import type { ElectricityMapsSettings } from "./read-settings.ts";
import { eachZone, type Supplier } from "./supplier.ts";

interface Figure {
  /** gCO2eq/kWh; null where an hour is not measured yet. */
  carbonIntensity: number | null;
  datetime: string;
}

const figure = {
  type: "object",
  required: ["carbonIntensity", "datetime"],
  properties: { carbonIntensity: { type: ["number", "null"] }, datetime: { type: "string" } },
};
const list = { type: "array", items: figure };

const checkForecast = answerChecker<{ forecast: Figure[]; updatedAt: string }>({
  type: "object",
  required: ["forecast", "updatedAt"],
  properties: { forecast: list, updatedAt: { type: "string" } },
});
const checkHistory = answerChecker<{ history: Figure[] }>({
  type: "object",
  required: ["history"],
  properties: { history: list },
});
const checkLatest = answerChecker<Figure>(figure);

function timeOf(source: string, text: string): number {
  const time = parseTime(text);
  if (time === null)
    throw new LandfallError("FORECAST_ANSWER", { source, detail: `${text.slice(0, 40)} is not a time` });
  return time;
}

const pointsOf = (source: string, figures: readonly Figure[]): Point[] =>
  figures.flatMap(({ carbonIntensity, datetime }) =>
    carbonIntensity === null ? [] : [{ time: timeOf(source, datetime), value: carbonIntensity }],
  );

const hourOf = (point: Point): Point => ({ ...point, time: Math.floor(point.time / HOUR_SECONDS) * HOUR_SECONDS });

function open(settings: ElectricityMapsSettings): Service {
  const { name, url, tokenFile, http } = settings;
  return openService({ source: name, url, tokenFile, http, authorize: (token) => ({ "auth-token": token }) });
}

/** The measured value of the current hour comes before the forecast, or replaces its first hour. */
function withLatest(forecast: Point[], latest: Point | null): Point[] {
  const [first] = forecast;
  if (first === undefined || latest === null) return forecast;
  const isNext = latest.time === first.time || latest.time === first.time - HOUR_SECONDS;
  return isNext ? [latest, ...forecast.filter(({ time }) => time !== latest.time)] : forecast;
}

export interface ElectricityMapsOptions {
  settings: ElectricityMapsSettings & { horizonHours: number };
  maxIntensity: number;
}

/** Forecasts of the Electricity Maps API, version 3: hourly, life-cycle emissions. */
export function forecastsOfElectricityMaps({ settings, maxIntensity }: ElectricityMapsOptions): Supplier {
  const { name: source, horizonHours } = settings;
  const service = open(settings);

  /** The latest value improves a forecast; without it, the forecast is still used. */
  async function latestOf(zone: string): Promise<Point | null> {
    try {
      const query = { zone, temporalGranularity: "hourly" };
      const read = (answer: unknown): Point[] => pointsOf(source, [checkLatest(source, answer)]);
      const [latest] = await service.ask("/v3/carbon-intensity/latest", read, { query });
      return latest === undefined ? null : hourOf(latest);
    } catch {
      return null;
    }
  }

  /** The points of a forecast that can be used. */
  function readForecast(zone: string, answer: unknown) {
    const { forecast, updatedAt } = checkForecast(source, answer);
    const points = pointsOf(source, forecast);
    const about = { source, zone, maxIntensity, issuedAt: timeOf(source, updatedAt) };
    makeForecast(points, about);
    return { points, about };
  }

  return {
    supply: (zones) =>
      eachZone(source, zones, async (zone) => {
        const query = { zone, horizonHours: String(horizonHours), temporalGranularity: "hourly" };
        const made = await service.ask("/v3/carbon-intensity/forecast", (answer) => readForecast(zone, answer), {
          query,
        });
        return makeForecast(withLatest(made.points, await latestOf(zone)), made.about);
      }),
    close: () => service.close(),
  };
}

/** A missing hour ends the usable history. */
function withoutGaps(points: readonly Point[]): Point[] {
  const newestFirst = [...points].sort((a, b) => b.time - a.time);
  const [newest] = newestFirst;
  return newestFirst.filter(({ time }, index) => time === (newest?.time ?? 0) - index * HOUR_SECONDS);
}

/** The measured hours of the last day from the same API. */
export function measuredByElectricityMaps(settings: ElectricityMapsSettings, maxIntensity: number): Supplier {
  const { name: source } = settings;
  const service = open(settings);
  return {
    supply: (zones) =>
      eachZone(source, zones, async (zone) => {
        const query = { zone, temporalGranularity: "hourly" };
        const read = (answer: unknown): ZoneForecast => {
          const points = withoutGaps(pointsOf(source, checkHistory(source, answer).history).map(hourOf));
          return makeForecast(points, { source, zone, maxIntensity, issuedAt: null });
        };
        return service.ask("/v3/carbon-intensity/history", read, { query });
      }),
    close: () => service.close(),
  };
}
