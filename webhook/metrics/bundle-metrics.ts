import type { BundleStatus, Fact, FollowStatus, OtherStatus } from "../bundle-watch/bundle-status.ts";

const seconds = (time: string | null): number => (time === null ? 0 : Date.parse(time) / 1000);

interface Row extends FollowStatus {
  /** `landfall` is the platform's own. */
  name: string;
  active: Fact | null;
}

const infos = ({ name, attempted, loaded, active }: Row): string[] =>
  Object.entries({ attempted, loaded, active }).flatMap(([fact, value]) =>
    value === null ? [] : [`landfall_bundle_info{bundle="${name}",fact="${fact}",digest="${value.digest}"} 1`],
  );

const quarantines = ({ name, quarantined }: Row): string[] =>
  [...new Set(quarantined.map(({ code }) => code))].map((code) => {
    const count = quarantined.filter((entry) => entry.code === code).length;
    return `landfall_bundle_quarantined{bundle="${name}",code="${code}"} ${String(count)}`;
  });

function dated([name, { active }]: [string, OtherStatus]): { name: string; date: number; old: boolean }[] {
  const date = active?.bundle.date ?? null;
  return active === null || date === null ? [] : [{ name, date, old: active.old }];
}

/** Only where data images are set up. */
function dataMetrics(others: Record<string, OtherStatus>): string[] {
  const images = Object.entries(others).flatMap(dated);
  if (images.length === 0) return [];
  return [
    "# HELP landfall_bundle_data_timestamp_seconds The date of a data image's figures.",
    "# TYPE landfall_bundle_data_timestamp_seconds gauge",
    ...images.map(({ name, date }) => `landfall_bundle_data_timestamp_seconds{bundle="${name}"} ${String(date)}`),
    "# HELP landfall_bundle_data_stale Whether they are older than they may get.",
    "# TYPE landfall_bundle_data_stale gauge",
    ...images.map(({ name, old }) => `landfall_bundle_data_stale{bundle="${name}"} ${old ? "1" : "0"}`),
  ];
}

/** The three digests, the quarantine and the last contact of each bundle in Prometheus' text format. */
export function bundleMetrics(status: BundleStatus): string {
  const beside = Object.entries(status.others).map(([name, other]): Row => ({ name, ...other }));
  const rows: Row[] = [{ name: "landfall", ...status }, ...beside];
  return [
    "# HELP landfall_bundle_info The bundle that was tried, that could be loaded, and that decides.",
    "# TYPE landfall_bundle_info gauge",
    ...rows.flatMap(infos),
    "# HELP landfall_bundle_quarantined Bundles that are not used, by reason.",
    "# TYPE landfall_bundle_quarantined gauge",
    ...rows.flatMap(quarantines),
    "# HELP landfall_bundle_contact_timestamp_seconds When the registry was last heard of.",
    "# TYPE landfall_bundle_contact_timestamp_seconds gauge",
    ...rows.map(
      ({ name, contactedAt }) =>
        `landfall_bundle_contact_timestamp_seconds{bundle="${name}"} ${String(seconds(contactedAt))}`,
    ),
    "# HELP landfall_bundle_stale Whether that is longer ago than the settings allow.",
    "# TYPE landfall_bundle_stale gauge",
    ...rows.map(({ name, stale }) => `landfall_bundle_stale{bundle="${name}"} ${stale ? "1" : "0"}`),
    ...dataMetrics(status.others),
    "",
  ].join("\n");
}
