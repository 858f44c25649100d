import { describe, type ErrorCode, type ErrorParams } from "../../errors.ts";
import type { Degradation } from "../../model/decision.ts";
import type { CarbonTable, CatalogView } from "../../model/places/catalog.ts";
import { type ForecastBook, forecastEnd, type ForecastSource, type ZoneForecast } from "../../model/places/forecast.ts";
import { DAY_SECONDS, formatTime, HOUR_SECONDS } from "../../model/time.ts";
import type { PolicyResult } from "../../model/policy.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import type { ScoredPlace } from "../../placement/choose-placement.ts";
import type { DecisionRequest } from "../types.ts";

/** Of a zone's lowest climatological hour: no grid's whole day is below it. */
const SHARE = 0.1;
/** The catalog's figures per gCO2eq/kWh. */
const TENTHS = 10;

const leastHours = new WeakMap<CarbonTable, number>();
const leastMeans = new WeakMap<ZoneForecast, number>();

function leastHour(table: CarbonTable): number {
  const known = leastHours.get(table);
  if (known !== undefined) return known;
  const least =
    table.tenths.length === 0 ? table.yearly : table.tenths.reduce((a, b) => Math.min(a, b), Infinity) / TENTHS;
  leastHours.set(table, least);
  return least;
}

/** The lowest mean of a day of the forecast, or of all of it if it is shorter, gCO2eq/kWh. */
function leastMean(forecast: ZoneForecast): number {
  const known = leastMeans.get(forecast);
  if (known !== undefined) return known;
  const { values, stepSeconds } = forecast;
  const steps = Math.min(values.length, Math.ceil(DAY_SECONDS / stepSeconds));
  let [least, sum] = [Infinity, 0];
  for (const [index, value] of values.entries()) {
    sum += value - (values[index - steps] ?? 0);
    if (index >= steps - 1) least = Math.min(least, sum / steps);
  }
  leastMeans.set(forecast, least);
  return least;
}

/**
 * Why a forecast of a zone is too low to be believed; null if it is not: a source that claims next to nothing would attract all work. Zones without
 * a climatology are not judged.
 */
function tooLow(forecast: ZoneForecast, zone: string, { carbon }: Pick<CatalogView, "carbon">): string | null {
  const table = carbon[zone];
  const limit = table === undefined ? 0 : SHARE * leastHour(table);
  const mean = leastMean(forecast);
  if (mean >= limit) return null;
  const [low, lowest] = [mean, limit].map((figure) => figure.toFixed(1));
  return `the mean of a day is ${String(low)} g/kWh, below ${String(lowest)}, a tenth of the zone's lowest hour in past years`;
}

/** A forecast further in the future than this means that a clock is wrong. */
const CLOCK_SECONDS = 900;

interface Gap {
  code: ErrorCode;
  params: ErrorParams;
}

/** A usable forecast. */
interface UsedForecast {
  source: string;
  forecast: ZoneForecast;
}

/** The sources' forecasts of a zone at a time. */
interface ZoneOutlook {
  /** In the order of preference. */
  used: UsedForecast[];
  /** Source -> why it is not used. */
  gaps: Map<string, Gap>;
}

interface Asked {
  catalog: Pick<CatalogView, "carbon">;
  /** Seconds since 1970. */
  nowSeconds: number;
}

function gapOf(source: ForecastSource, zone: string, { catalog, nowSeconds }: Asked): Gap | null {
  const { name, maxAgeSeconds } = source;
  const forecast = source.zones[zone];
  if (forecast === undefined)
    return source.problem ?? source.problems[zone] ?? { code: "FORECAST_ZONE", params: { source: name, zone } };
  const params = { source: name, zone, issued: formatTime(forecast.issuedAt), now: formatTime(nowSeconds) };
  if (forecast.issuedAt > nowSeconds + CLOCK_SECONDS) return { code: "FORECAST_CLOCK", params };
  if (nowSeconds - forecast.issuedAt > maxAgeSeconds || forecastEnd(forecast) <= nowSeconds)
    return {
      code: "FORECAST_STALE",
      params: { ...params, hours: Math.floor((nowSeconds - forecast.issuedAt) / HOUR_SECONDS) },
    };
  const detail = tooLow(forecast, zone, catalog);
  return detail === null ? null : { code: "FORECAST_IMPLAUSIBLE", params: { source: name, zone, detail } };
}

/** The usable forecasts of a zone, and why the others are not used. */
export function zoneOutlook(book: ForecastBook, zone: string, asked: Asked): ZoneOutlook {
  const used: UsedForecast[] = [];
  const gaps = new Map<string, Gap>();
  for (const source of book.sources) {
    const gap = gapOf(source, zone, asked);
    const forecast = source.zones[zone];
    if (gap !== null) gaps.set(source.name, gap);
    else if (forecast !== undefined) used.push({ source: source.name, forecast });
  }
  return { used, gaps };
}

const askedOf = ({ policy, nowSeconds }: DecisionRequest): Asked => ({ catalog: policy.catalog, nowSeconds });

const CLIMATOLOGY = "the climatology of the bundle";

const tell = ({ code, params }: Gap, instead: string): Degradation => ({
  code,
  message: `${describe(code, params).message}; ${instead}`,
});

/**
 * The gaps in a zone's forecasts up to `end` (seconds since 1970) in the order of the sources, and what replaced them.
 * Empty if the first source covers everything.
 */
function forecastGaps(book: ForecastBook, zone: string, asked: Asked, end: number): Degradation[] {
  const { nowSeconds } = asked;
  const { used, gaps } = zoneOutlook(book, zone, asked);
  const found: Degradation[] = [];
  let covered = nowSeconds;
  for (const [index, { name }] of book.sources.entries()) {
    if (covered >= end) break;
    const gap = gaps.get(name);
    const later = book.sources.slice(index + 1);
    const instead = later.find((source) => !gaps.has(source.name))?.name ?? CLIMATOLOGY;
    const mine = used.find(({ source }) => source === name);
    if (mine !== undefined) covered = Math.max(covered, forecastEnd(mine.forecast));
    if (gap !== undefined) found.push(tell(gap, `${instead} was used instead`));
    else if (covered < end) {
      const params = { source: name, zone, until: formatTime(covered), end: formatTime(end) };
      found.push(tell({ code: "FORECAST_SHORT", params }, `after that ${instead} was used`));
    }
  }
  return found;
}

/** How many zones without a forecast are named. */
const NAMED = 5;

/** The end of the time for which a forecast is useful, in seconds since 1970. */
function wantedUntil(
  { nowSeconds }: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  start: number,
): number {
  const { durationSeconds, deadline } = workload;
  // A long-running machine is scored by the mean of a whole week, which no forecast covers.
  if (durationSeconds === null) return nowSeconds + HOUR_SECONDS;
  const end = start + durationSeconds;
  if (deadline === null) return end;
  return Math.max(end, Math.min(deadline, nowSeconds + result.horizonSeconds + durationSeconds));
}

/** Places whose intensity comes from a different source than the chosen one's. */
function unevenZones(request: DecisionRequest, ranked: readonly ScoredPlace[], chosenZone: string): string[] {
  const { forecasts } = request;
  if (forecasts === undefined || forecasts === null) return [];
  const zones = new Set(ranked.map(({ candidate }) => candidate.electricityZone).filter((zone) => zone !== null));
  zones.delete(chosenZone);
  return [...zones].filter((zone) => zoneOutlook(forecasts, zone, askedOf(request)).used.length === 0).sort();
}

/**
 * The forecasts that were missing for this choice, and their replacement. Empty without sources: then climatology
 * is the platform's choice.
 */
export function forecastDegradations(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  ranked: readonly ScoredPlace[],
): Degradation[] {
  const { forecasts } = request;
  const asked = askedOf(request);
  const [chosen] = ranked;
  const zone = chosen?.candidate.electricityZone ?? null;
  if (forecasts === undefined || forecasts === null || chosen === undefined || zone === null) return [];
  const found = forecastGaps(forecasts, zone, asked, wantedUntil(request, workload, result, chosen.start));
  const uneven = unevenZones(request, ranked, zone);
  if (uneven.length === 0 || zoneOutlook(forecasts, zone, asked).used.length === 0) return found;
  const more = uneven.length > NAMED ? ` and ${String(uneven.length - NAMED)} more` : "";
  const zones = uneven.slice(0, NAMED).join(", ") + more;
  return [...found, { code: "FORECAST_UNEVEN", message: describe("FORECAST_UNEVEN", { zones }).message }];
}
