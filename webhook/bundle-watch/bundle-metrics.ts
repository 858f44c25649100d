import type { BundleStatus } from "./bundle-status.ts";

const seconds = (time: string | null): number => (time === null ? 0 : Date.parse(time) / 1000);

/** The three digests, the quarantine and the last contact in Prometheus' text format. */
export function bundleMetrics({ attempted, loaded, active, quarantined, contactedAt, stale }: BundleStatus): string {
  const info = Object.entries({ attempted, loaded, active }).flatMap(([fact, value]) =>
    value === null ? [] : [`landfall_bundle_info{fact="${fact}",digest="${value.digest}"} 1`],
  );
  return [
    "# HELP landfall_bundle_info The bundle that was tried, that could be loaded, and that decides.",
    "# TYPE landfall_bundle_info gauge",
    ...info,
    "# HELP landfall_bundle_quarantined Bundles that are not used, by reason.",
    "# TYPE landfall_bundle_quarantined gauge",
    ...[...new Set(quarantined.map(({ code }) => code))].map((code) => {
      const count = quarantined.filter((entry) => entry.code === code).length;
      return `landfall_bundle_quarantined{code="${code}"} ${String(count)}`;
    }),
    "# HELP landfall_bundle_contact_timestamp_seconds When the registry was last heard of.",
    "# TYPE landfall_bundle_contact_timestamp_seconds gauge",
    `landfall_bundle_contact_timestamp_seconds ${String(seconds(contactedAt))}`,
    "# HELP landfall_bundle_stale Whether that is longer ago than the settings allow.",
    "# TYPE landfall_bundle_stale gauge",
    `landfall_bundle_stale ${stale ? "1" : "0"}`,
    "",
  ].join("\n");
}
