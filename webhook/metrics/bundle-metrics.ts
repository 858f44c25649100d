import type { Registry } from "prom-client";
import type { BundleStatus, Fact, FollowStatus, OtherStatus } from "../bundle-watch/bundle-status.ts";
import { addGauge, type Sample } from "./collected-gauge.ts";

const seconds = (time: string | null): number => (time === null ? 0 : Date.parse(time) / 1000);

interface Row extends FollowStatus {
  /** `landfall` is the platform's own. */
  name: string;
  active: Fact | null;
}

function rowsOf(status: BundleStatus): Row[] {
  const others = Object.entries(status.others).map(([name, other]): Row => ({ name, ...other }));
  return [{ name: "landfall", ...status }, ...others];
}

const infos = ({ name, attempted, loaded, active }: Row): Sample[] =>
  Object.entries({ attempted, loaded, active }).flatMap(([fact, value]) =>
    value === null ? [] : [{ labels: { bundle: name, fact, digest: value.digest }, value: 1 }],
  );

const quarantines = ({ name, quarantined }: Row): Sample[] =>
  [...new Set(quarantined.map(({ code }) => code))].map((code) => ({
    labels: { bundle: name, code },
    value: quarantined.filter((entry) => entry.code === code).length,
  }));

function dated([name, { active }]: [string, OtherStatus]): { name: string; date: number; old: boolean }[] {
  const date = active?.bundle.date ?? null;
  return active === null || date === null ? [] : [{ name, date, old: active.old }];
}

/** Without a data image in use these have no series. */
function addDataMetrics(registry: Registry, status: () => BundleStatus): void {
  const images = (): ReturnType<typeof dated> => Object.entries(status().others).flatMap(dated);
  const labels = ["bundle"];
  addGauge(registry, {
    name: "landfall_bundle_data_timestamp_seconds",
    help: "The date of a data image's figures.",
    labels,
    collect: () => images().map(({ name, date }) => ({ labels: { bundle: name }, value: date })),
  });
  addGauge(registry, {
    name: "landfall_bundle_data_stale",
    help: "1 if a data image's figures are older than its limit, otherwise 0.",
    labels,
    collect: () => images().map(({ name, old }) => ({ labels: { bundle: name }, value: Number(old) })),
  });
}

function addReleaseMetrics(registry: Registry, rows: () => Row[]): void {
  const labels = ["bundle"];
  addGauge(registry, {
    name: "landfall_bundle_version",
    help: "The version of the bundle that decides. Without a version there is no series.",
    labels,
    collect: () =>
      rows().flatMap(({ name, version }) => (version === null ? [] : [{ labels: { bundle: name }, value: version }])),
  });
  addGauge(registry, {
    name: "landfall_bundle_behind",
    help: "1 if an earlier bundle decides than the one with the highest version, and no rollback says so, otherwise 0.",
    labels,
    collect: () => rows().map(({ name, behind }) => ({ labels: { bundle: name }, value: Number(behind) })),
  });
  addGauge(registry, {
    name: "landfall_bundle_expiry_timestamp_seconds",
    help: "When the bundle that decides expires. Without an expiry there is no series.",
    labels,
    collect: () =>
      rows().flatMap(({ name, expires }) =>
        expires === null ? [] : [{ labels: { bundle: name }, value: seconds(expires) }],
      ),
  });
}

/** Adds the digests, the quarantine, the last contact and the age of each bundle. */
export function addBundleMetrics(registry: Registry, status: () => BundleStatus): void {
  const rows = (): Row[] => rowsOf(status());
  addGauge(registry, {
    name: "landfall_bundle_info",
    help: "The bundle that was last tried, that was last loaded, and that decides.",
    labels: ["bundle", "fact", "digest"],
    collect: () => rows().flatMap(infos),
  });
  addGauge(registry, {
    name: "landfall_bundle_quarantined",
    help: "Bundles in quarantine, by reason.",
    labels: ["bundle", "code"],
    collect: () => rows().flatMap(quarantines),
  });
  addGauge(registry, {
    name: "landfall_bundle_contact_timestamp_seconds",
    help: "When the registry last answered; 0 for never.",
    labels: ["bundle"],
    collect: () => rows().map(({ name, contactedAt }) => ({ labels: { bundle: name }, value: seconds(contactedAt) })),
  });
  addGauge(registry, {
    name: "landfall_bundle_stale",
    help: "1 if the last contact is longer ago than the settings allow, otherwise 0.",
    labels: ["bundle"],
    collect: () => rows().map(({ name, stale }) => ({ labels: { bundle: name }, value: Number(stale) })),
  });
  addReleaseMetrics(registry, rows);
  addDataMetrics(registry, status);
}
