import type { EventRecorder } from "../cluster/create-event-recorder.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import type { Resource } from "../model/kubernetes.ts";
import type { ForecastBook } from "../model/places/forecast.ts";
import type { SettingNames } from "../model/places/catalog.ts";
import type { Workload } from "../model/workload.ts";
import { LandfallError } from "../errors.ts";
import { failedFinding } from "./audit-safely.ts";
import type { Finding } from "./finding.ts";
import type { ScanData } from "./process/messages.ts";
import { namespaceProblems } from "./namespace-problems.ts";
import { readCluster } from "./read-cluster.ts";
import { reportsOf } from "./report.ts";
import { writeReports } from "./write-reports.ts";

/** The bundles of one scan. */
export interface ScanPolicy {
  /** `sha256:…` of the platform's tarball. */
  digest: string;
  /** The electricity zones of its regions. */
  zones: string[];
  /** The names that settings of namespaces can have. */
  settingNames: SettingNames;
  audit(objects: readonly Workload[], data: ScanData): Promise<Finding[]>;
}

export interface ScanOptions {
  client: KubeClient;
  /** The present bundles, verified. */
  policy: () => Promise<ScanPolicy>;
  /** The forecasts for these electricity zones; null for climatology alone. */
  forecasts: (zones: string[]) => Promise<ForecastBook | null>;
  /** For settings of namespaces that cannot be read. */
  record: EventRecorder;
  everySeconds: number;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  onScan: (result: Awaited<ReturnType<typeof scanOnce>>) => void;
  onFailure: (thrown: unknown) => void;
}

/** Says which settings of namespaces no one can read, on the namespaces. */
function tellProblems(namespaces: readonly Resource[], names: SettingNames, record: EventRecorder): void {
  for (const { namespace, message } of namespaceProblems(namespaces, names)) {
    const object = namespaces.find(({ metadata }) => metadata.name === namespace);
    if (object === undefined) continue;
    // Items of a list have neither.
    record(
      { ...object, apiVersion: "v1", kind: "Namespace" },
      { type: "Warning", reason: "SettingUnreadable", message },
    );
  }
}

/** Characters of the objects of one namespace that a scan holds: some thousand objects of a normal size. */
const MOST_OF_NAMESPACE = 16 * 1024 * 1024;

/** The finding of an object beyond the share of its namespace. */
function notRead(object: Workload, at: number): Finding[] {
  const { namespace = "default" } = object.metadata;
  const finding = failedFinding(object, new LandfallError("ADM_AUDIT_SHARE", { namespace }), at);
  return finding === null ? [] : [finding];
}

/** One scan of all objects, and its reports. Throws REL_API…, BUNDLE_…. */
export async function scanOnce(
  options: Pick<ScanOptions, "client" | "policy" | "forecasts" | "nowSeconds" | "record">,
) {
  const { client, nowSeconds } = options;
  const began = performance.now();
  const policy = await options.policy();
  const forecasts = await options.forecasts(policy.zones);
  const at = nowSeconds();
  const { namespaces, objects, unread, clusterData } = await readCluster(client, at, {
    mostOfNamespace: MOST_OF_NAMESPACE,
  });
  tellProblems(namespaces, policy.settingNames, options.record);
  const audited = await policy.audit(objects, { events: clusterData.snapshot(), forecasts, nowSeconds: at });
  const findings = [...audited, ...unread.flatMap((object) => notRead(object, at))];
  const written = await writeReports(client, reportsOf(findings, policy.digest));
  const count = (verdict: string): number => findings.filter((finding) => finding.verdict === verdict).length;
  const seconds = Math.round(performance.now() - began) / 1000;
  const verdicts = { deny: count("deny"), move: count("move"), moveOnRecreate: count("move-on-recreate") };
  return { objects: findings.length, ...verdicts, written, seconds };
}

/** Scans now and repeats it, each scan `everySeconds` after the end of the last one. Returns a function that stops it. */
export function startScans(options: ScanOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const round = async (): Promise<void> => {
    try {
      options.onScan(await scanOnce(options));
    } catch (thrown) {
      if (!stopped) options.onFailure(thrown);
    }
    if (!stopped) timer = setTimeout(() => void round(), options.everySeconds * 1000);
  };
  void round();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
