import type { Trust } from "../../bundle/signature/trust.ts";
import type { ClusterEvent } from "../../external-data/cluster-data.ts";
import type { ForecastBook } from "../../model/places/forecast.ts";
import type { SettingNames } from "../../model/places/catalog.ts";
import type { Workload } from "../../model/workload.ts";
import type { OtherTarball } from "../../policy/load-bundles.ts";
import type { Finding } from "../finding.ts";

/** A set of bundles with their trusted signers: what a process that scans is started with. */
export interface ScanBundles {
  bytes: Uint8Array;
  ref: string;
  trust: Trust;
  signed: boolean;
  others: readonly (OtherTarball & { trust: Trust; signed: boolean })[];
  /** Names of optional bundles that are missing. */
  absent: readonly string[];
  /** Evaluations of a team's rules that take more processor time are reported, in ms. */
  slowMs: number;
}

/** The data of a scan besides the bundles. */
export interface ScanData {
  events: ClusterEvent[];
  /** Null for climatology alone. */
  forecasts: ForecastBook | null;
  /** Seconds since 1970. */
  nowSeconds: number;
}

export type ToScan = ({ type: "begin" } & ScanData) | { type: "audit"; objects: readonly Workload[] };

export type FromScan =
  /** The digest of the platform's tarball, the electricity zones of its regions, and the names that settings of namespaces can have. */
  | { type: "ready"; digest: string; zones: string[]; settingNames: SettingNames }
  /** The rules of a team took long for an object of this namespace. */
  | { type: "slow"; team: string; namespace: string; ms: number }
  /** Of the objects of one message, in their order. */
  | { type: "findings"; findings: (Finding | null)[] };
