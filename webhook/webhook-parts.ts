import type { FastifyBaseLogger } from "fastify";
import type { Registry } from "prom-client";
import type { BundleStore } from "../src/bundle/bundle-store.ts";
import type { OtherOptions } from "../src/bundle/follow/bundle-set.ts";
import type { TeamStrikes } from "../src/bundle/follow/team-strikes.ts";
import type { BundleSource } from "../src/bundle/open-source.ts";
import type { BundleSettings } from "../src/bundle/read-settings.ts";
import type { Tracer } from "../src/cluster/tracing/span.ts";
import type { DecisionLog } from "../src/decision-log/open-log.ts";
import type { ClusterEvent } from "../src/external-data/cluster-data.ts";
import type { Ledger } from "../src/external-data/ledger/open-ledger.ts";
import type { Scheduler } from "../src/external-data/scheduler/open-scheduler.ts";
import type { ClusterWatch } from "../src/external-data/watch-cluster.ts";
import type { Keys } from "../src/keys/open-keys.ts";
import type { KeyRing } from "../src/model/decision-annotation/key-ring.ts";
import type { ReplicaState } from "../src/model/replica-report.ts";
import type { AuthenticationParts } from "./authentication/create-authenticator.ts";
import type { BundleReporter } from "./bundle-watch/report-bundles.ts";
import type { Canaries } from "./bundle-watch/ask-canaries.ts";
import type { ComparedCertificate } from "./describe-status.ts";
import type { Forecasts } from "./open-forecasts.ts";
import type { WebhookApp, WebhookDeps } from "./serving/build-app.ts";
import type { ReadToken } from "./follow-token-file.ts";

/** The parts of a webhook. All of it is open, and `stop` closes it. */
export interface WebhookParts {
  bundle: {
    source: BundleSource;
    store: BundleStore;
    settings: BundleSettings;
    others: readonly OtherOptions[];
    /** Those of earlier processes; none if omitted. */
    strikes?: TeamStrikes;
    /** The environment of this process. */
    env?: NodeJS.ProcessEnv;
  };
  /** The informer of namespaces and workloads. */
  watchCluster: (onEvent: (event: ClusterEvent) => void, keys: () => KeyRing) => ClusterWatch;
  /** Opens the reservations that all replicas share; null or omitted without a ledger. */
  openLedger?: ((onEvent: (event: ClusterEvent) => void, keys: () => KeyRing) => Ledger) | null;
  /** Live objects that a new bundle is tried on. */
  canaries: Canaries;
  /** Records an Event for a bundle that becomes active, or is not used. */
  recordEvent: (event: { type: "Normal" | "Warning"; reason: string; message: string }) => void;
  /** Keeps what is known of the bundles in the cluster; null or omitted to keep nothing. */
  bundleReports?: BundleReporter | null;
  /** Null for each that is not set up. */
  forecasts: Forecasts | null;
  scheduler: Scheduler | null;
  decisionLog: DecisionLog | null;
  /** Bearer token of POST /bundle/poll. */
  pollToken: ReadToken | null;
  /** Bearer token of /status and /metrics; they answer this machine alone if it is null or omitted. */
  statusToken?: ReadToken | null;
  /** Limit of a decision in ms. The API server gives up later, so that the reason reaches it. */
  decisionMs?: number;
  /** Sign decisions. */
  keys: Keys;
  tls: WebhookDeps["tls"];
  /** Landfall's own namespace, whose service accounts are never held; none if omitted. */
  systemNamespace?: string;
  /** The certificate, if it is compared with what the API server trusts. */
  certificate?: ComparedCertificate;
  /** Who is answered; only the API server's certificate if omitted. */
  authentication?: AuthenticationParts;
  /** Null or omitted without traces. The caller stops it. */
  tracer?: Tracer | null;
  logger: FastifyBaseLogger;
}

export interface Webhook {
  /** Its routes, not yet listening. */
  app: WebhookApp;
  metrics: Registry;
  /** The state that this replica reports. */
  state: () => ReplicaState;
  /** Is not ready any more, and for so long, in ms, asks clients to close their connections while it answers them. */
  drain(milliseconds: number): Promise<void>;
  /** Answers what is in flight, then ends the processes and closes the parts. */
  stop(): Promise<void>;
}
