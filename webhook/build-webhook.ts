import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { Registry } from "prom-client";
import type { BundleStore } from "../src/bundle/bundle-store.ts";
import type { BundleSource } from "../src/bundle/open-source.ts";
import type { BundleSettings } from "../src/bundle/read-settings.ts";
import type { DecisionLog } from "../src/decision-log/open-log.ts";
import { bytesOfEvents } from "../src/external-data/bound-event.ts";
import { type ClusterEvent, type ClusterData, createClusterData } from "../src/external-data/cluster-data.ts";
import type { Ledger } from "../src/external-data/ledger/open-ledger.ts";
import type { Scheduler } from "../src/external-data/scheduler/open-scheduler.ts";
import type { ClusterWatch } from "../src/external-data/watch-cluster.ts";
import type { Tracer } from "../src/cluster/tracing/span.ts";
import type { Keys } from "../src/keys/open-keys.ts";
import { bytesOf, type KeyRing } from "../src/model/decision-annotation/key-ring.ts";
import type { Canaries } from "./bundle-watch/ask-canaries.ts";
import type { OtherOptions } from "../src/bundle/follow/bundle-set.ts";
import { openRecentRefusals } from "./decisions/limits/recent-refusals.ts";
import { logBundleEvents } from "./bundle-watch/log-bundle-events.ts";
import { BundleWatch, type WatchOptions } from "./bundle-watch/watch-bundle.ts";
import { namespaceOwner } from "../src/external-data/namespace-owner.ts";
import type { TeamStrikes } from "../src/bundle/follow/team-strikes.ts";
import { awaitNamespace } from "./decisions/limits/await-namespace.ts";
import { type AuthenticationParts, CERTIFICATE_ONLY } from "./authentication/create-authenticator.ts";
import { createAuthenticator } from "./authentication/create-authenticator.ts";
import { askSafely, scopeOf } from "./decisions/ask-safely.ts";
import { openIntake } from "./decisions/limits/intake.ts";
import { openRefusedInputs } from "./decisions/limits/refused-inputs.ts";
import { startProcess, type ProcessOptions } from "./decisions/start-process.ts";
import { noteAdmissions } from "./metrics/trace-admissions.ts";
import { createWebhookMetrics } from "./metrics/webhook-metrics.ts";
import { measureLedger } from "./metrics/ledger-metrics.ts";
import type { Forecasts } from "./open-forecasts.ts";
import { type ComparedCertificate, describeStatus } from "./describe-status.ts";
import { filesTrust, inProcess } from "./other-bundles.ts";
import { scanReview } from "./review/scan-review.ts";
import { buildApp, type WebhookApp, type WebhookDeps } from "./serving/build-app.ts";
import { drainConnections } from "./serving/drain-connections.ts";

/** Of a decision if `parts.decisionMs` is omitted. */
const DECISION_MS = 8000;
const decisionMsOf = ({ decisionMs = DECISION_MS }: Pick<WebhookParts, "decisionMs">): number => decisionMs;

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
  /** Null for each that is not set up. */
  forecasts: Forecasts | null;
  scheduler: Scheduler | null;
  decisionLog: DecisionLog | null;
  /** Bearer token of POST /bundle/poll. */
  pollToken: string | null;
  /** Bearer token of /status and /metrics; they answer this machine alone if it is null or omitted. */
  statusToken?: string | null;
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
  /** Is not ready any more, and for so long, in ms, asks clients to close their connections while it answers them. */
  drain(milliseconds: number): Promise<void>;
  /** Answers what is in flight, then ends the processes and closes the parts. */
  stop(): Promise<void>;
}

/** Starts a process for a set of bundles, with all that is known by then. */
function processStarter(
  parts: WebhookParts,
  clusterData: ClusterData,
  {
    onSlowTeam,
    ledger,
  }: { onSlowTeam: ProcessOptions["onSlowTeam"] & object; ledger: ProcessOptions["ledger"] | null },
): WatchOptions["start"] {
  const { forecasts, scheduler, decisionLog } = parts;
  const { trust, others, rollout } = parts.bundle.settings;
  const labels = { id: randomUUID(), app: "landfall-webhook" };
  return ({ bytes, signed }, ref, beside, tellOthers) =>
    startProcess({
      ...{ bytes, ref, signed, absent: beside.absent, timeoutMs: decisionMsOf(parts), traced: parts.tracer != null },
      trust: filesTrust(trust),
      others: inProcess(beside, others),
      keys: bytesOf(parts.keys.ring()),
      events: clusterData.snapshot(),
      forecasts: forecasts?.book() ?? null,
      ...{ slowMs: rollout.limits.decisionMs, onSlowTeam, env: parts.bundle.env },
      logLabels: decisionLog === null ? null : labels,
      onDecision: (line) => decisionLog?.add(line),
      onReserved: (event, decider) => {
        clusterData.apply(event);
        tellOthers(event, decider);
      },
      ...(scheduler === null ? {} : { consult: scheduler.ask }),
      ...(ledger === null || ledger === undefined ? {} : { ledger }),
    });
}

/** Whether a user is one of Landfall's own ServiceAccounts. */
const ownUsers =
  ({ systemNamespace }: Pick<WebhookParts, "systemNamespace">) =>
  (user: string): boolean =>
    systemNamespace !== undefined && user.startsWith(`system:serviceaccount:${systemNamespace}:`);

/** The ledger with its metrics; null without one. */
const openMeasured = ({ openLedger, keys }: WebhookParts, learn: (event: ClusterEvent) => void) =>
  openLedger == null ? null : measureLedger(openLedger(learn, () => keys.ring()));

/** Builds a webhook from its parts and starts to follow its bundles; it does not listen yet. */
export function buildWebhook(parts: WebhookParts): Webhook {
  const { bundle, canaries, forecasts, scheduler, decisionLog, pollToken, statusToken = null, tls, logger } = parts;
  const clusterData = createClusterData();
  const ownerOf = namespaceOwner(bundle.settings.rollout.canary.owner, (name) => clusterData.namespace(name));
  const [refused, refusals] = [openRefusedInputs(Date.now, ownUsers(parts)), openRecentRefusals(ownerOf)];
  const learn = (event: ClusterEvent): void => {
    clusterData.apply(event);
    policy.tell(event);
  };
  const ledger = openMeasured(parts, learn);
  const policy: BundleWatch = new BundleWatch({
    ...{ source: bundle.source, store: bundle.store, rollout: bundle.settings.rollout, others: bundle.others },
    start: processStarter(parts, clusterData, {
      onSlowTeam: (team, namespace, ms) => void policy.teamSlow(team, namespace, ms),
      ledger,
    }),
    ...(bundle.strikes === undefined ? {} : { strikes: bundle.strikes }),
    canaries,
    ownerOf,
    namespaceOf: (name) => (clusterData.knows(name) ? clusterData.namespace(name) : null),
    refused: () => refusals.list(),
    onFatalRequest: (fatalRequest, error) => {
      refused.add(fatalRequest, scopeOf(scanReview(fatalRequest.body).namespace, fatalRequest.caller), error);
    },
    onGivenUp: (team) => {
      refused.forgive(team);
    },
    onActive: ({ zones }) => void forecasts?.follow(zones),
    onEvent: logBundleEvents(parts),
    nowMs: Date.now,
    random: Math.random,
  });
  forecasts?.subscribe((book) => {
    policy.tell({ type: "forecasts", book });
  });
  parts.keys.subscribe((ring) => {
    policy.tell({ type: "keys", keys: bytesOf(ring) });
  });
  const onEvent = (event: ClusterEvent): void => {
    learn(event);
    ledger?.see(event);
  };
  const watch = parts.watchCluster(onEvent, () => parts.keys.ring());
  const namespaceKnown = awaitNamespace({
    hasSynced: () => watch.hasSynced(),
    knows: (name) => clusterData.knows(name),
    read: (name, signal) => watch.readNamespace(name, signal),
    onRead: (data) => {
      onEvent({ type: "namespace", name: data.name, data });
    },
  });
  const authenticator = createAuthenticator(parts.authentication ?? CERTIFICATE_ONLY, tls.clientName, (came) => {
    logger.info({ door: came, setting: parts.authentication?.mode }, "the first review of this door");
  });
  const metrics = createWebhookMetrics({
    bundles: () => policy.status(),
    forecasts: forecasts === null ? null : () => forecasts.status(),
    lostDecisions: () => decisionLog?.lost() ?? 0,
    reviews: () => authenticator.counts(),
    dataBytes: () => bytesOfEvents(clusterData.snapshot()),
  });
  ledger?.register(metrics.registry);
  const drain = drainConnections();
  const app = buildApp({
    drain,
    ask: askSafely({
      ...{
        decider: (namespace) => policy.decider(namespace),
        decisionLog,
        intake: openIntake({ timeoutMs: decisionMsOf(parts) }),
        refused,
        refusals,
        namespaceKnown,
      },
      onFailedTeam: () => void policy.teamFailed(),
      unauthenticated: { limit: authenticator.limit, read: authenticator.unauthenticated.read },
    }),
    authenticator,
    status: describeStatus(policy, watch, authenticator, parts),
    metrics: metrics.registry,
    noteAdmission: noteAdmissions(metrics.registry, parts.tracer),
    poll: pollToken === null ? null : { token: pollToken, now: () => policy.poll() },
    statusToken,
    tls,
    logger,
  });
  return {
    app,
    metrics: metrics.registry,
    drain: async (milliseconds) => {
      drain.begin();
      await sleep(milliseconds);
    },
    stop: async () => {
      // One that fails does not keep the later ones open.
      await using open = new AsyncDisposableStack();
      open.defer(() => metrics.stop());
      open.defer(() => parts.keys.stop());
      open.defer(() => watch.stop());
      open.defer(() => ledger?.stop());
      open.defer(() => decisionLog?.close());
      open.defer(() => policy.stop());
      open.defer(() => scheduler?.close());
      open.defer(() => forecasts?.stop());
      open.defer(() => app.close());
    },
  };
}
