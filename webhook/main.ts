import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { pino } from "pino";
import { openStore } from "../src/bundle/bundle-store.ts";
import { openSource } from "../src/bundle/open-source.ts";
import { type BundleSettings, defaultSettings, readSettings } from "../src/bundle/read-settings.ts";
import { createClient } from "../src/cluster/create-client.ts";
import { loadKubeconfig } from "../src/cluster/load-kubeconfig.ts";
import { type DecisionLog, openLog } from "../src/decision-log/open-log.ts";
import { LandfallError, messageOf } from "../src/errors.ts";
import { type ClusterEvent, createClusterData } from "../src/external-data/cluster-data.ts";
import { listLive } from "../src/external-data/list-live.ts";
import { watchCluster } from "../src/external-data/watch-cluster.ts";
import type { CompiledPolicy } from "../src/policy/loaded-bundle.ts";
import { answerReview, asLandfallError, refusal, type Reply, type ReviewPath } from "./review/answer-review.ts";
import { buildApp } from "./serving/build-app.ts";
import { bundleMetrics } from "./metrics/bundle-metrics.ts";
import { tellCluster } from "./bundle-watch/tell-cluster.ts";
import { BundleWatch } from "./bundle-watch/watch-bundle.ts";
import { collectGarbage } from "./decisions/collect-garbage.ts";
import { makeServingCertificate } from "./serving/serving-certificate.ts";
import { startThread } from "./decisions/start-thread.ts";
import { forecastMetrics } from "./metrics/forecast-metrics.ts";
import { lostDecisions } from "./metrics/lost-decisions.ts";
import { eventLoopMetrics } from "./metrics/event-loop-metrics.ts";
import { openExternalScheduler } from "./open-external-scheduler.ts";
import { filesTrust, inThread, openOthers } from "./open-others.ts";
import { openForecasts } from "./open-forecasts.ts";
import { readOptions } from "../src/command-line/webhook-options.ts";
import { pollToken } from "./serving/poll-token.ts";
import { register } from "./serving/register.ts";
import { sealKey } from "./signing-key.ts";

/** The API server gives up after 10 s: an answer that says why has to be there before. */
const DECISION_MS = 8000;

const options = readOptions(process.argv);
// A thread that loads a bundle loads its code as well: compiled once, it is ready in half the time. Threads read it from here.
process.env["NODE_COMPILE_CACHE"] ??= join(options.dataDir, "compiled");
enableCompileCache(process.env["NODE_COMPILE_CACHE"]);

async function openDecisionLog(): Promise<DecisionLog | null> {
  const { decisionLog: target, decisionLogWhenFull, decisionLogTokenFile: file } = options;
  if (target === undefined) return null;
  const token = file === undefined ? null : (await readFile(file, "utf8")).trim();
  return openLog({ target, whenFull: decisionLogWhenFull === "slow" ? "slow" : "drop", token });
}

/** Nobody gets unsigned bundles by forgetting something. */
function bundleSettings(): Promise<BundleSettings> | BundleSettings {
  if (options.bundleSettings !== undefined) return readSettings(options.bundleSettings);
  if (options.unsigned === true) return defaultSettings("off");
  const detail = "signatures are required; name whose are trusted with --bundle-settings, or give --unsigned";
  throw new LandfallError("BUNDLE_SETTINGS", { file: "of this webhook are missing and", detail });
}

// Lines are written in batches: a log line must not hold a request up.
const logger = pino(
  { level: options.logLevel, base: null },
  pino.destination({ dest: 1, sync: false, minLength: 4096 }),
);
const flushing = setInterval(() => logger.flush(), 200);
/** One line that says what to do, and no stack trace. */
function cannotStart(thrown: unknown): void {
  const { code, line } = thrown instanceof LandfallError ? thrown : { code: undefined, line: messageOf(thrown) };
  logger.fatal({ code, detail: line }, "cannot start");
}
/** What it cannot start without. */
async function needed<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (thrown) {
    cannotStart(thrown);
    // What was logged is written when the process ends.
    process.exit(1);
  }
}
const client = createClient(await needed(() => loadKubeconfig(options.kubeconfig, process.env)));

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
const facts = createClusterData();
const key = await needed(() => sealKey(options.dataDir));
const settings = await needed(bundleSettings);
const labels = { id: randomUUID(), app: "landfall-webhook" };
const decisionLog = await needed(openDecisionLog);
const scheduler = await needed(() => openExternalScheduler(options));
const forecasts = await needed(() =>
  openForecasts(options.forecastSettings, {
    folder: join(options.dataDir, "measured"),
    onChange: (book) => {
      policy.tell({ type: "forecasts", book });
    },
    onProblem: (source, { code, line }) => {
      logger.warn({ source, code, detail: line }, "a source of forecasts failed");
    },
  }),
);
const { crane, ca, plainHttp } = options;
const registry = { crane, ca, plainHttp, env: process.env };
// What starting has left behind goes before the first bundle needs room.
collectGarbage();
/** Of the newest bundle that loaded. */
let compiled: CompiledPolicy | null = null;
const policy: BundleWatch = new BundleWatch({
  source: await needed(() => openSource(options.bundle, registry, settings.trust)),
  store: openStore(join(options.dataDir, "bundles")),
  rollout: settings.rollout,
  others: await needed(() => openOthers(settings.others, registry, options.dataDir)),
  start: ({ bytes, signed }, ref, beside) => {
    const trust = filesTrust(settings.trust);
    const others = inThread(beside, settings.others);
    const logLabels = decisionLog === null ? null : labels;
    const onDecision = (line: string): void => decisionLog?.add(line);
    const known = { sealKey: key.export(), events: facts.snapshot(), timeoutMs: DECISION_MS, logLabels, onDecision };
    const book = forecasts?.book() ?? null;
    const outside = scheduler === null ? {} : { consult: scheduler.ask };
    // The thread counts it already; one that loads meanwhile or later has to know of it too.
    const onReserved = (event: ClusterEvent): void => {
      facts.apply(event);
      policy.tell(event, thread);
    };
    const onCompiled = (policies: CompiledPolicy): void => void (compiled = policies);
    const heard = { onReserved, onCompiled, ...outside };
    const thread = startThread({
      ...{ bytes, ref, compiled, trust, signed, others, absent: beside.absent, forecasts: book },
      ...heard,
      ...known,
    });
    return thread;
  },
  canaries: async (most) =>
    most === 0
      ? []
      : listLive(client, most).catch((thrown: unknown) => {
          logger.warn({ detail: messageOf(thrown) }, "live objects cannot be listed: no canaries");
          return [];
        }),
  onActive: ({ zones }) => {
    void forecasts?.follow(zones);
  },
  onEvent: (event, fields) => {
    const good = event === "bundle active";
    logger[good ? "info" : "warn"](fields, event);
    if (!good && event !== "bundle not used") return;
    const told = { reason: good ? "BundleActive" : "BundleNotUsed", message: JSON.stringify(fields), warning: !good };
    tellCluster(client, { ...told, at: new Date() }).catch((thrown: unknown) => {
      logger.warn({ detail: messageOf(thrown) }, "the cluster could not be told");
    });
  },
  nowMs: Date.now,
  random: Math.random,
});
const clusterWatch = watchCluster({
  client,
  nowSeconds,
  onEvent: (event) => {
    facts.apply(event);
    policy.tell(event);
  },
  onFailure: (message) => {
    logger.warn({ detail: message }, "the cluster's facts: a watch broke and is opened again");
  },
});

async function ask(path: ReviewPath, body: string): Promise<Reply> {
  try {
    await decisionLog?.ready();
    const thread = await policy.thread();
    if (thread === null) throw new LandfallError("BUNDLE_NONE");
    return await thread.ask(path, body);
  } catch (thrown) {
    return answerReview(body, () => refusal(asLandfallError(thrown)));
  }
}

const { pollTokenFile } = options;
const poll =
  pollTokenFile === undefined
    ? null
    : { allowed: await needed(() => pollToken(pollTokenFile)), now: () => policy.poll() };
const began = Date.now();
const eventLoop = eventLoopMetrics();
const hosts = options.url === undefined ? [options.host, "localhost"] : [new URL(options.url).hostname];
const certificate = await makeServingCertificate(hosts);
const app = buildApp({
  ask,
  status: () => {
    const bundle = policy.status();
    return {
      ready: bundle.active !== null && bundle.missing.length === 0 && clusterWatch.hasSynced(),
      policy: bundle.active?.bundle ?? null,
      policyError: bundle.lastError,
      bundle,
      forecasts: forecasts?.status() ?? null,
      clusterSynced: clusterWatch.hasSynced(),
      uptimeSeconds: Math.round((Date.now() - began) / 1000),
    };
  },
  metrics: () =>
    bundleMetrics(policy.status()) +
    forecastMetrics(forecasts?.status() ?? []) +
    eventLoop() +
    lostDecisions(decisionLog?.lost() ?? 0),
  poll,
  tls: {
    key: certificate.key,
    cert: certificate.cert,
    clientCa: await needed(() => readFile(options.clientCa, "utf8")),
  },
  logger,
});

async function stop(): Promise<void> {
  await app.close();
  await forecasts?.stop();
  await scheduler?.close();
  await policy.stop();
  await decisionLog?.close();
  clusterWatch.stop();
  await client.close();
  clearInterval(flushing);
  logger.info("stopped");
  logger.flush();
  process.exit(0);
}
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop());

try {
  const address = await app.listen({ port: Number(options.port), host: options.host });
  if (options.register === true) {
    await register(client, { url: options.url ?? address, ca: certificate.ca });
    logger.info({ url: options.url ?? address }, "registered");
  }
} catch (thrown) {
  cannotStart(thrown);
  logger.flush();
  process.exitCode = 1;
  await stop();
}
