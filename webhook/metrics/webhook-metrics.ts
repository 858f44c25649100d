import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Registry } from "prom-client";
import type { SourceStatus } from "../../src/external-data/forecasts/forecast-cache.ts";
import type { BundleStatus } from "../bundle-watch/bundle-status.ts";
import type { Authentication } from "../../src/model/caller.ts";
import { addBundleMetrics } from "./bundle-metrics.ts";
import { addGauge } from "./collected-gauge.ts";

/** Adds the coverage, health and age of each forecast source. */
function addForecastMetrics(registry: Registry, sources: () => readonly SourceStatus[]): void {
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

/** The time between two looks, which the longest delay includes. Each millisecond would cost 4 % of a processor. */
const RESOLUTION_MS = 10;

export interface MetricSources {
  bundles: () => BundleStatus;
  /** Null without forecast sources. */
  forecasts: (() => readonly SourceStatus[]) | null;
  /** Decisions that the decision log lost since the start. */
  lostDecisions: () => number;
  /** Size of the cluster's data, which each process that decides holds. */
  dataBytes: () => number;
  /** Reviews since the start, by how their caller was authenticated. */
  reviews: () => Readonly<Record<Authentication, number>>;
  /** Until when the certificates of the API servers are valid, in ms since 1970; null if none was shown. */
  certificateEnd: () => number | null;
}

export interface WebhookMetrics {
  registry: Registry;
  stop(): void;
}

/** The metrics of a webhook. All are read from their sources when the registry is scraped. */
export function createWebhookMetrics(sources: MetricSources): WebhookMetrics {
  const { bundles, forecasts, lostDecisions, dataBytes, reviews, certificateEnd } = sources;
  const registry = new Registry();
  addBundleMetrics(registry, bundles);
  if (forecasts !== null) addForecastMetrics(registry, forecasts);

  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  addGauge(registry, {
    name: "landfall_event_loop_delay_max_seconds",
    help: "The longest delay of the main thread's event loop since the last scrape.",
    collect: () => {
      const value = delays.max / 1e9;
      delays.reset();
      return [{ labels: {}, value }];
    },
  });
  addGauge(registry, {
    name: "landfall_cluster_data_bytes",
    help: "About how much of the memory of the process that decides the cluster's data take.",
    collect: () => [{ labels: {}, value: dataBytes() }],
  });
  addGauge(registry, {
    name: "landfall_webhook_client_certificate_expires_seconds",
    help: "Until when the client certificates that the API servers showed lately are all valid, in seconds since 1970. Before one is shown there is no series.",
    // A gauge without labels always has a series.
    labels: ["door"],
    collect: () =>
      [certificateEnd()].flatMap((end) =>
        end === null ? [] : [{ labels: { door: "client-certificate" }, value: end / 1000 }],
      ),
  });
  new Counter({
    name: "landfall_decision_log_lost_total",
    help: "Decisions that could not be written to the decision log.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(lostDecisions());
    },
  });
  new Counter({
    name: "landfall_webhook_reviews_total",
    help: "Reviews by how their caller was authenticated: client-certificate, token or none.",
    labelNames: ["door"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [door, value] of Object.entries(reviews())) this.inc({ door }, value);
    },
  });
  return { registry, stop: () => delays.disable() };
}
