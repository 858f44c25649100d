import { isObject } from "../../model/json.ts";
import { type StoredRelease, valuesIn } from "../helm/stored-release.ts";

/** The chart that a recorded revision was rendered with. */
export interface InstalledChart {
  /** As the CRD names it: `v0-1-0` */
  version: string;
  /** As Chart.yaml names it: `0.1.0` */
  chart: string;
}

/** Null for a release of which it is not recorded. */
export function installedChart(release: StoredRelease): InstalledChart | null {
  const { global } = valuesIn(release);
  const chart = isObject(release["chart"]) ? release["chart"]["metadata"] : undefined;
  const version = isObject(global) ? global["compositionInstalledVersion"] : undefined;
  const named = isObject(chart) ? chart["version"] : undefined;
  return typeof version === "string" && typeof named === "string" ? { version, chart: named } : null;
}
