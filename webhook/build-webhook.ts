import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { bytesOfEvents } from "../src/external-data/bound-event.ts";
import { type ClusterEvent, type ClusterData, createClusterData } from "../src/external-data/cluster-data.ts";
import { bytesOf } from "../src/model/decision-annotation/key-ring.ts";
import { openRecentRefusals } from "./decisions/limits/recent-refusals.ts";
import { logBundleEvents } from "./bundle-watch/log-bundle-events.ts";
import { reportOf } from "./bundle-watch/report-bundles.ts";
import { BundleWatch, type WatchOptions } from "./bundle-watch/watch-bundle.ts";
import { namespaceOwner } from "../src/external-data/namespace-owner.ts";
import { awaitNamespace } from "./decisions/limits/await-namespace.ts";
import { CERTIFICATE_ONLY, createAuthenticator } from "./authentication/create-authenticator.ts";
import { askSafely, scopeOf } from "./decisions/ask-safely.ts";
import { openIntake } from "./decisions/limits/intake.ts";
import { openRefusedInputs } from "./decisions/limits/refused-inputs.ts";
import { startProcess, type ProcessOptions } from "./decisions/start-process.ts";
import { noteAdmissions } from "./metrics/trace-admissions.ts";
import { createWebhookMetrics } from "./metrics/webhook-metrics.ts";
import { measureLedger } from "./metrics/ledger-metrics.ts";
import { describeStatus, replicaState } from "./describe-status.ts";
import { filesTrust, inProcess } from "./other-bundles.ts";
import { scanReview } from "./review/scan-review.ts";
import { buildApp } from "./serving/build-app.ts";
import { drainConnections } from "./serving/drain-connections.ts";
import type { Webhook, WebhookParts } from "./webhook-parts.ts";

/** Of a decision if `parts.decisionMs` is omitted. */
const DECISION_MS = 8000;
const decisionMsOf = ({ decisionMs = DECISION_MS }: Pick<WebhookParts, "decisionMs">): number => decisionMs;

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
      ...{ slowMs: rollout.limits.decisionMs, owner: rollout.canary.owner, onSlowTeam, env: parts.bundle.env },
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
  const [refused, refusals] = [openRefusedInputs(Date.now, ownUsers(parts), ownerOf), openRecentRefusals(ownerOf)];
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
    onRulesGone: (team) => {
      refused.forgive(team);
    },
    onRulesReplaced: (team) => {
      refused.release(team);
    },
    onActive: ({ zones }) => void forecasts?.follow(zones),
    onEvent: logBundleEvents(parts, () => reportOf(bundle.source.ref, policy.status())),
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
    certificateEnd: () => authenticator.certificateEnd(),
    dataBytes: () => bytesOfEvents(clusterData.snapshot()),
  });
  ledger?.register(metrics.registry);
  const drain = drainConnections();
  const status = describeStatus(policy, watch, authenticator, parts);
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
    status,
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
    state: replicaState(status),
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
      open.defer(() => parts.bundleReports?.stop());
      open.defer(() => policy.stop());
      open.defer(() => scheduler?.close());
      open.defer(() => forecasts?.stop());
      open.defer(() => app.close());
    },
  };
}
