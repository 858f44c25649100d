import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import type { Logger } from "pino";
import type { RestConfig } from "../../cluster/client/rest-config.ts";
import type { Tracer } from "../../cluster/tracing/span.ts";
import type { ChartRegistry } from "../../model/chart-registry.ts";
import type { ChartTrust } from "../chart/chart-trust.ts";
import type { ReportOptions } from "../report/serve-reports.ts";
import type { CompositionMetrics } from "../context/composition-metrics.ts";
import type { RunMetrics } from "../run/state/run-metrics.ts";
import type { ProgramOfHelm } from "../helm/run-helm.ts";
import type { WorkerProgram } from "../helm/worker-process.ts";

export interface ControllerOptions {
  config: RestConfig;
  helm: ProgramOfHelm;
  /** Calls helm without a process for each call; null for none. */
  helmWorker: WorkerProgram | null;
  /** How helm is called, and why, for the Lease; null if this process does not install. */
  helmBy: string | null;
  dataDirectory: string;
  /** Landfall's own namespace. */
  systemNamespace: string;
  charts: ChartTrust;
  /** The settings of the registries that charts are fetched from. */
  chartRegistry: ChartRegistry;
  /** Verifies decisions and signs the records of releases; null where objects without a decision are installed too. */
  keys: (() => KeyRing) | null;
  /** How many helm processes run at the same time. */
  workers: number;
  resyncSeconds: number;
  krateoNamespace: string;
  /** Only resume due starts and count down to them, for a cluster where Krateo's own controller installs. */
  scheduleOnly: boolean;
  /** Seconds between two rounds in which planned starts are decided again; 0 disables it. Only the leader does it. */
  reconsiderSeconds: number;
  /** Seconds between two probes of admission; omitted or 0 for none. Only the leader does it. */
  probeSeconds?: number;
  /** Seconds from the end of a run to its deletion. */
  graceSeconds: number;
  /** Seconds that pass in one second of a run that may pause; one if omitted. */
  timeLapse?: number;
  /** Seconds between two looks of an operator at a machine; null for each provider's own, 0 for never. */
  lookSeconds?: number | null;
  runMetrics: RunMetrics;
  metrics: CompositionMetrics;
  /** The listener of machines that report their completion; null for none. */
  reports: ReportOptions | null;
  /** If several controllers run: the namespace of their Lease, and this one's name in it. Null if this one is alone. */
  lead: { namespace: string; identity: string; onStoppedLeading: () => void } | null;
  /** Called once this controller leads, immediately if it is alone: begins further work of the leader. */
  onStartedLeading: () => void;
  /** Null or omitted without traces. */
  tracer?: Tracer | null;
  log: Logger;
}

export interface Controller {
  /** The content of /healthz. */
  health(): { compositions: number; definitions: number };
  /** Takes no more work, waits for what is underway, closes the connections. */
  stop(): Promise<void>;
}
