import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { pino } from "pino";
import type { OpenForecasts } from "../audit/open-forecasts.ts";
import type { Trust } from "../bundle/signature/trust.ts";
import { createClient } from "../cluster/create-client.ts";
import { loadKubeconfig } from "../cluster/load-kubeconfig.ts";
import type { RestConfig } from "../cluster/rest-config.ts";
import { serveHealth } from "../cluster/serve-health.ts";
import { defaultNamespaces, readControllerFlags } from "../command-line/controller-options.ts";
import { lineOf } from "../errors.ts";
import type { ChartTrust, VerifyChart } from "./chart/chart-trust.ts";
import { awaitKeySecret } from "../keys/await-key-secret.ts";
import { readKeyFiles } from "../keys/key-files.ts";
import { openKeySecret } from "../keys/key-secret.ts";
import { type Keys, openKeys } from "../keys/open-keys.ts";
import type { Helm } from "./helm/run-helm.ts";
import { readReportOptions } from "./report/read-report-options.ts";
import { countRuns } from "./run/run-metrics.ts";
import type { Controller, ControllerOptions } from "./controller.ts";
import { startController } from "./start-controller.ts";

/** Environment variables that are passed to helm: network settings. It reaches the cluster only through this process. */
const PASSED = /^(PATH|HOME|TMPDIR|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY)$/i;

const flags = readControllerFlags(process.argv, hostname());
const log = pino({ level: flags.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
const dataDirectory = resolve(flags.dataDir);
const runMetrics = countRuns();

function helmOf(home: string): Pick<Helm, "binary" | "env"> {
  const passed = Object.entries(process.env).filter(([key, value]) => PASSED.test(key) && value !== undefined);
  const own = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: join(home, "kube") };
  return { binary: flags.helm, env: { ...(Object.fromEntries(passed) as Record<string, string>), ...own } };
}

function leadOf(namespace: string | undefined): ControllerOptions["lead"] {
  if (namespace === undefined) return null;
  const onStoppedLeading = (): void => {
    // Another process may have the Lease by now, so this one must stop everything that requires it.
    log.fatal("the Lease is lost");
    process.exit(1);
  };
  return { namespace, identity: flags.identity, onStoppedLeading };
}

/** Null where objects without a decision are installed, or where this process installs nothing. Throws REL_SIGNING_KEY. */
async function keysOf(config: RestConfig): Promise<Keys | null> {
  const { signingKey: path, allowUndecided = false, scheduleOnly = false, systemNamespace } = flags;
  const nowSeconds = (): number => Math.floor(Date.now() / 1000);
  const code = "REL_SIGNING_KEY";
  const onFailure = (thrown: unknown): void => {
    log.warn({ error: lineOf(thrown) }, "the signing keys cannot be read again; the known ones stay in use");
  };
  if (path !== undefined)
    return openKeys({ read: () => readKeyFiles(path, code), where: path, code, nowSeconds, onFailure });
  if (allowUndecided || scheduleOnly) return null;
  const secret = openKeySecret(createClient(config), systemNamespace);
  await awaitKeySecret(secret, log);
  const read = async () => (await secret.read())?.entries ?? null;
  return openKeys({ read, where: secret.where, code, nowSeconds, onFailure });
}

// What only some flags ask for is loaded for them: it would take a third of the start, and memory.

async function chartTrustIn(file: string): Promise<{ trust: Trust; signers: ReadonlySet<string> }> {
  const [{ readSettings }, { signerNames }] = await Promise.all([
    import("../bundle/read-settings.ts"),
    import("../bundle/signature/key-name.ts"),
  ]);
  const { trust } = await readSettings(file);
  return { trust, signers: signerNames(trust) };
}

/** Charts are verified as bundles are, by signers of their own. */
async function chartTrust(): Promise<ChartTrust> {
  const { chartSettings: file, definitionNamespaces, passwordHosts } = flags;
  const { trust, signers } =
    file === undefined ? { trust: null, signers: new Set<string>() } : await chartTrustIn(file);
  return {
    namespaces: definitionNamespaces ?? defaultNamespaces(flags),
    passwordHosts: passwordHosts.map((host) => host.toLowerCase()),
    verify: trust === null || trust.mode === "off" ? null : verifyWith(trust),
    signers,
    signaturesRequired: trust?.mode === "required",
  };
}

function verifyWith(trust: Trust): VerifyChart {
  return async ({ ref, archive, login, plainHttp }) => {
    const env = login === null ? process.env : { ...process.env, DOCKER_CONFIG: login };
    const [{ openRegistry }, { verifyContent }] = await Promise.all([
      import("../bundle/registry/open-registry.ts"),
      import("../bundle/verify-content.ts"),
    ]);
    const registry = await openRegistry({ crane: flags.crane, plainHttp, env });
    try {
      return await verifyContent(registry, ref, archive, trust);
    } finally {
      await registry.close();
    }
  };
}

async function controllerOf(config: RestConfig, onStartedLeading: () => void): Promise<Controller> {
  const home = join(dataDirectory, "helm");
  await mkdir(home, { recursive: true });
  const keys = await keysOf(config);
  return startController({
    ...{ config, dataDirectory, log, helm: helmOf(home), lead: leadOf(flags.leaderElect) },
    onStartedLeading,
    workers: flags.workers,
    resyncSeconds: flags.resync,
    krateoNamespace: flags.krateoNamespace,
    systemNamespace: flags.systemNamespace,
    keys: keys === null ? null : () => keys.ring(),
    charts: await chartTrust(),
    scheduleOnly: flags.scheduleOnly === true,
    graceSeconds: flags.endGrace,
    lookSeconds: flags.lookEvery ?? null,
    runMetrics,
    reports: readReportOptions(flags, keys !== null),
    reconsiderSeconds: flags.reconsiderEvery,
  });
}

/** Forecasts for scans; null if there are neither scans nor settings. */
async function forecastsOf(): Promise<OpenForecasts | null> {
  if (flags.bundle === undefined && flags.forecastSettings === undefined) return null;
  const [{ openForecasts }, { forecastHours }] = await Promise.all([
    import("../audit/open-forecasts.ts"),
    import("../forecast/forecast-hours.ts"),
  ]);
  return openForecasts(flags.forecastSettings, {
    ...{ folder: join(dataDirectory, "measured"), forecastHours, random: Math.random },
    onProblem: (source, { line }) => {
      log.warn({ source, error: line }, "a source of forecasts failed");
    },
  });
}

const nothing = (): Promise<void> => Promise.resolve();

/** Scans the cluster's objects, if a bundle is named. Only the leader does: two would write the same reports. */
function auditOf(config: RestConfig, open: OpenForecasts | null): () => Promise<void> {
  const { bundle, bundleSettings, unsigned = false, crane, plainHttp, auditEvery: everySeconds } = flags;
  if (bundle === undefined || open === null) return open?.stop ?? nothing;
  const { forecasts, stop } = open;
  const client = createClient(config);
  const registry = { crane, plainHttp, env: process.env };
  const options = { client, bundle, bundleSettings, unsigned, registry, forecasts, everySeconds, log };
  const starting = Promise.all([import("../audit/start-audit.ts"), import("../bundle/follow/strike-file.ts")]).then(
    ([{ startAudit }, { openStrikeFile }]) => {
      const strikes = openStrikeFile(join(dataDirectory, "scans", "team-strikes.json"), (thrown) => {
        log.warn({ error: lineOf(thrown) }, "the strikes of teams cannot be kept on disk");
      });
      return startAudit({ ...options, strikes });
    },
  );
  return async () => {
    const stopAudit = await starting;
    await stopAudit();
    await stop();
    await client.close();
  };
}

let controller: Controller | null = null;
let stopHealth = (): void => undefined;
try {
  stopHealth = await serveHealth(flags, {
    health: () => controller?.health() ?? null,
    metrics: runMetrics.registry,
  });
  const config = await loadKubeconfig(flags.kubeconfig, process.env);
  const forecasts = await forecastsOf();
  let stopAudit = forecasts?.stop ?? nothing;
  const running = await controllerOf(config, () => {
    stopAudit = auditOf(config, forecasts);
  });
  controller = running;
  const { workers, resync, scheduleOnly = false } = flags;
  log.info({ workers, resync, scheduleOnly }, "composition controller started");
  const stop = (signal: string): void => {
    log.info({ signal }, "composition controller stopping");
    stopHealth();
    // The process ends when the controller has ended: an interrupted scan has no lasting effect.
    stopAudit().catch(() => undefined);
    const failed = (thrown: unknown): void =>
      log.error({ error: lineOf(thrown) }, "composition controller could not stop in order");
    void running
      .stop()
      .catch(failed)
      .finally(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
} catch (thrown) {
  stopHealth();
  log.fatal({ error: lineOf(thrown) }, "composition controller could not start");
  process.exitCode = 1;
}
