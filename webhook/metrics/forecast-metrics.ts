import type { Registry } from "prom-client";
import type { SourceStatus } from "../../src/external-data/forecasts/forecast-cache.ts";
import { addGauge } from "./collected-gauge.ts";

/** Adds the coverage, health and age of each forecast source. */
export function addForecastMetrics(registry: Registry, sources: () => readonly SourceStatus[]): void {
  const labels = ["source"];
  addGauge(registry, {
    name: "landfall_forecast_zones",
    help: "Electricity zones that a source has a forecast of.",
    labels,
    collect: () => sources().map(({ name, zones }) => ({ labels: { source: name }, value: zones })),
  });
  addGauge(registry, {
    name: "landfall_forecast_failing",
    help: "1 if the last request to a source failed for any zone, otherwise 0.",
    labels,
    collect: () =>
      sources().map(({ name, lastError }) => ({ labels: { source: name }, value: Number(lastError !== null) })),
  });
  addGauge(registry, {
    name: "landfall_forecast_issued_timestamp_seconds",
    help: "When the newest forecast of a source was issued.",
    labels,
    collect: () =>
      sources().flatMap(({ name, issuedAt }) =>
        issuedAt === null ? [] : [{ labels: { source: name }, value: Date.parse(issuedAt) / 1000 }],
      ),
  });
}
