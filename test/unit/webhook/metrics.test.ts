import { expect, it } from "vitest";
import type { SourceStatus } from "../../../src/external-data/forecasts/forecast-cache.ts";
import type { BundleStatus, OtherStatus } from "../../../webhook/bundle-watch/bundle-status.ts";
import { createWebhookMetrics } from "../../../webhook/metrics/webhook-metrics.ts";

const AT = "2026-01-01T00:00:00.000Z";
const SECONDS = 1_767_225_600;
const fact = (digest: string): { digest: string; at: string } => ({ digest, at: AT });
const refused = (digest: string): BundleStatus["quarantined"][number] => ({
  ...{ digest, code: "BUNDLE_SMOKE", reason: "", at: AT },
});

const data = (bundle: Pick<NonNullable<OtherStatus["active"]>["bundle"], "date">, old: boolean): OtherStatus => ({
  ...{ kind: "data", ref: "r", required: true, attempted: null, loaded: null, quarantined: [], lastError: null },
  ...{ contactedAt: AT, stale: false },
  ...{ version: null, expires: null, expired: false, highestVersion: null, behind: false },
  active: {
    ...{ ...fact("sha256:d"), from: "registry", signers: [], old },
    bundle: {
      name: "prices",
      kind: "data",
      digest: "",
      revision: "",
      freshSeconds: 1,
      ref: "r",
      whenStale: "warn",
      expires: null,
      ...bundle,
    },
  },
});

const STATUS: BundleStatus = {
  ...{ attempted: fact("sha256:c"), loaded: fact("sha256:b"), active: null, contactedAt: null, stale: true },
  ...{ quarantined: [refused("sha256:c"), refused("sha256:e")], lastError: null, missing: [] },
  ...{ version: 4, expires: AT, expired: false, highestVersion: 5, behind: true },
  others: { prices: data({ date: SECONDS }, true) },
};

const SOURCE: SourceStatus = { name: "a", type: "file", zones: 3, issuedAt: AT, lastError: "it failed" };

async function seriesOf(status: BundleStatus, sources: readonly SourceStatus[] | null, lost = 0): Promise<string[]> {
  const forecasts = sources === null ? null : () => sources;
  const metrics = createWebhookMetrics({
    bundles: () => status,
    forecasts,
    lostDecisions: () => lost,
    reviews: () => ({ "client-certificate": 3, token: 0, none: 0 }),
    dataBytes: () => 12_345,
    certificateEnd: () => null,
  });
  const text = await metrics.registry.metrics();
  metrics.stop();
  return text.split("\n");
}

it("shows the digests, the quarantine, the contacts and the age of each bundle", async () => {
  const lines = await seriesOf(STATUS, null, 2);
  expect(lines.filter((line) => /^landfall_(bundle|decision)/.test(line))).toEqual([
    'landfall_bundle_info{bundle="landfall",fact="attempted",digest="sha256:c"} 1',
    'landfall_bundle_info{bundle="landfall",fact="loaded",digest="sha256:b"} 1',
    'landfall_bundle_info{bundle="prices",fact="active",digest="sha256:d"} 1',
    'landfall_bundle_quarantined{bundle="landfall",code="BUNDLE_SMOKE"} 2',
    'landfall_bundle_contact_timestamp_seconds{bundle="landfall"} 0',
    `landfall_bundle_contact_timestamp_seconds{bundle="prices"} ${String(SECONDS)}`,
    'landfall_bundle_stale{bundle="landfall"} 1',
    'landfall_bundle_stale{bundle="prices"} 0',
    'landfall_bundle_version{bundle="landfall"} 4',
    'landfall_bundle_behind{bundle="landfall"} 1',
    'landfall_bundle_behind{bundle="prices"} 0',
    'landfall_bundle_expiry_timestamp_seconds{bundle="landfall"} 1767225600',
    `landfall_bundle_data_timestamp_seconds{bundle="prices"} ${String(SECONDS)}`,
    'landfall_bundle_data_stale{bundle="prices"} 1',
    "landfall_decision_log_lost_total 2",
  ]);
});

it("names the type of each metric", async () => {
  const types = (await seriesOf(STATUS, [SOURCE])).filter((line) => line.startsWith("# TYPE "));
  expect(types.map((line) => line.slice("# TYPE landfall_".length)).sort()).toEqual([
    "bundle_behind gauge",
    "bundle_contact_timestamp_seconds gauge",
    "bundle_data_stale gauge",
    "bundle_data_timestamp_seconds gauge",
    "bundle_expiry_timestamp_seconds gauge",
    "bundle_info gauge",
    "bundle_quarantined gauge",
    "bundle_stale gauge",
    "bundle_version gauge",
    "cluster_data_bytes gauge",
    "decision_log_lost_total counter",
    "event_loop_delay_max_seconds gauge",
    "forecast_failing gauge",
    "forecast_issued_timestamp_seconds gauge",
    "forecast_zones gauge",
    "webhook_client_certificate_expires_seconds gauge",
    "webhook_reviews_total counter",
  ]);
});

it("shows each forecast source, and no metric of forecasts without sources", async () => {
  const of = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith("landfall_forecast"));
  expect(of(await seriesOf(STATUS, [SOURCE, { ...SOURCE, name: "b", issuedAt: null, lastError: null }]))).toEqual([
    'landfall_forecast_zones{source="a"} 3',
    'landfall_forecast_zones{source="b"} 3',
    'landfall_forecast_failing{source="a"} 1',
    'landfall_forecast_failing{source="b"} 0',
    `landfall_forecast_issued_timestamp_seconds{source="a"} ${String(SECONDS)}`,
  ]);
  expect((await seriesOf(STATUS, null)).filter((line) => line.includes("forecast"))).toEqual([]);
});

it("escapes quotes, backslashes and newlines in label values", async () => {
  const lines = await seriesOf({ ...STATUS, others: {} }, [{ ...SOURCE, name: 'a "b" \\ c\nd' }]);
  expect(lines).toContain(String.raw`landfall_forecast_zones{source="a \"b\" \\ c\nd"} 3`);
});

it("reads its sources at each scrape", async () => {
  let lost = 0;
  let end: number | null = null;
  const metrics = createWebhookMetrics({
    bundles: () => STATUS,
    forecasts: null,
    lostDecisions: () => lost,
    reviews: () => ({ "client-certificate": 3, token: 0, none: 0 }),
    dataBytes: () => 1000 * lost,
    certificateEnd: () => end,
  });
  const before = await metrics.registry.metrics();
  expect(before).toContain("landfall_decision_log_lost_total 0\n");
  expect(before).not.toMatch(/^landfall_webhook_client_certificate_expires_seconds/m);
  [lost, end] = [3, 1_800_000_000_000];
  expect(await metrics.registry.metrics()).toContain(
    'landfall_webhook_client_certificate_expires_seconds{door="client-certificate"} 1800000000\n',
  );
  expect(await metrics.registry.metrics()).toContain("landfall_cluster_data_bytes 3000\n");
  expect(await metrics.registry.metrics()).toContain("landfall_decision_log_lost_total 3\n");
  expect(await metrics.registry.metrics()).toContain("landfall_decision_log_lost_total 3\n");
  metrics.stop();
});
