import type { SourceStatus } from "../../src/external-data/forecasts/forecast-cache.ts";

/** How many zones each source of forecasts covers, and since when, in Prometheus' text format. */
export function forecastMetrics(sources: readonly SourceStatus[]): string {
  if (sources.length === 0) return "";
  const issued = sources.flatMap(({ name, issuedAt }) =>
    issuedAt === null
      ? []
      : [`landfall_forecast_issued_timestamp_seconds{source="${name}"} ${String(Date.parse(issuedAt) / 1000)}`],
  );
  return [
    "# HELP landfall_forecast_zones Electricity zones that a source has a forecast of.",
    "# TYPE landfall_forecast_zones gauge",
    ...sources.map(({ name, zones }) => `landfall_forecast_zones{source="${name}"} ${String(zones)}`),
    "# HELP landfall_forecast_failing Whether a source failed when it was last asked, for any zone.",
    "# TYPE landfall_forecast_failing gauge",
    ...sources.map(
      ({ name, lastError }) => `landfall_forecast_failing{source="${name}"} ${lastError === null ? "0" : "1"}`,
    ),
    "# HELP landfall_forecast_issued_timestamp_seconds When the newest forecast of a source was made.",
    "# TYPE landfall_forecast_issued_timestamp_seconds gauge",
    ...issued,
    "",
  ].join("\n");
}
