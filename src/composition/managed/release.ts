import type { ObjectKey } from "./watch-managed.ts";
import type { ManagedEntry, Resource } from "../types.ts";
import type { DriftHistory } from "./drift-history.ts";
import type { InstalledChart } from "../record/installed-chart.ts";
import type { Awaited } from "./read-awaits.ts";

export interface ReleaseObject extends ObjectKey {
  manifest: Resource;
  entry: ManagedEntry;
}

/** The last revision of a release and its resources. */
export interface Release {
  name: string;
  namespace: string;
  secret: string;
  /** The id in the names of its resources at the provider. */
  id: string | null;
  /** The chart that it was rendered with; null if its revision does not say so. */
  chart: InstalledChart | null;
  inputs: string;
  awaited: string;
  awaits: Awaited[];
  objects: ReleaseObject[];
  /** Of the manifests. */
  digest: string;
  /** When its revisions were last listed, in seconds since 1970. */
  checkedAt: number;
  drifts: DriftHistory;
  /** How often what an operator wrote was put back, by the path of its resource. */
  putBack: Map<string, number>;
  /** When a mutating policy last wrote marks again that were put back, and how often in a row, by the path of the resource. */
  fought: Map<string, { at: number; times: number }>;
}
