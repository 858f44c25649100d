import { HOUR_SECONDS } from "../../../src/model/time.ts";
import { type JsonService, type Reply, startJsonService } from "./json-service.ts";

export interface Grid {
  token: string;
  /** Seconds since 1970; data ends with the current hour. */
  nowSeconds: () => number;
  /** zone -> gCO2eq/kWh at an hour (seconds since 1970) */
  zones: Record<string, (time: number) => number>;
  /** Plans without forecasts get HTTP 403 for them. */
  forecasts?: boolean;
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
const floor = (seconds: number): number => Math.floor(seconds / HOUR_SECONDS) * HOUR_SECONDS;

function measured(zone: string, time: number, value: number): object {
  return {
    zone,
    carbonIntensity: value,
    datetime: iso(time),
    updatedAt: iso(time + HOUR_SECONDS),
    createdAt: iso(time - 3 * 86_400),
    emissionFactorType: "lifecycle",
    isEstimated: false,
    estimationMethod: null,
    temporalGranularity: "hourly",
  };
}

/** A double of the Electricity Maps API, version 3: latest, history and forecast of carbon intensity. */
export function startElectricityMaps({ token, nowSeconds, zones, forecasts = true }: Grid): Promise<JsonService> {
  const hours = (from: number, count: number): number[] =>
    Array.from({ length: count }, (_, i) => from + i * HOUR_SECONDS);

  function answer(kind: string, zone: string, horizon: number): Reply {
    const valueAt = zones[zone];
    if (valueAt === undefined)
      return { status: 404, body: { status: "error", message: `Zone ${zone} does not exist` } };
    const present = floor(nowSeconds());
    if (kind === "latest") return { status: 200, body: measured(zone, present, valueAt(present)) };
    if (kind === "history") {
      const history = hours(present - 23 * HOUR_SECONDS, 24).map((time) => measured(zone, time, valueAt(time)));
      return { status: 200, body: { zone, history, temporalGranularity: "hourly" } };
    }
    if (!forecasts) return { status: 403, body: { status: "error", message: "Your plan has no access to forecasts" } };
    const forecast = hours(present, horizon + 1).map((time) => ({
      carbonIntensity: valueAt(time),
      datetime: iso(time),
    }));
    return { status: 200, body: { zone, forecast, updatedAt: iso(present + 60), temporalGranularity: "hourly" } };
  }

  return startJsonService(({ url, headers }) => {
    const kind = /^\/v3\/carbon-intensity\/(latest|history|forecast)$/.exec(url.pathname)?.[1];
    if (kind === undefined) return { status: 404, body: { status: "error", message: "Not found" } };
    if (headers["auth-token"] !== token)
      return { status: 401, body: { status: "error", message: "Invalid auth-token" } };
    const horizon = Number(url.searchParams.get("horizonHours") ?? 24);
    if (![6, 24, 48, 72].includes(horizon)) return { status: 400, body: { status: "error", message: "horizonHours" } };
    return answer(kind, url.searchParams.get("zone") ?? "", horizon);
  });
}
