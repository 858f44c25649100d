import { createServer } from "node:http";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { startScans } from "../audit/start-scans.ts";
import { type BundleSource, openSource } from "../bundle/open-source.ts";
import { defaultSettings, readSettings } from "../bundle/read-settings.ts";
import type { ClusterAccess } from "../cluster/access.ts";
import { connect } from "../cluster/connect.ts";
import { readAccess } from "../cluster/read-access.ts";
import { LandfallError, messageOf } from "../errors.ts";
import { openKeeper } from "../facts/forecasts/forecast-keeper.ts";
import { readForecastSettings } from "../facts/forecasts/read-settings.ts";
import { forecastHours } from "../forecast/forecast-hours.ts";
import { fedZones } from "../model/catalog.ts";
import type { ForecastBook } from "../model/forecast.ts";
import { loadBundle } from "../policy/load-bundle.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import type { Helm } from "./helm/run-helm.ts";
import type { Controller } from "./start-controller.ts";
import { startController } from "./start-controller.ts";

/** What helm may see of the environment: how to reach a network, and the cluster that it runs in. */
const PASSED = /^(PATH|HOME|TMPDIR|SSL_CERT_(FILE|DIR)|KUBERNETES_SERVICE_\w+|(HTTPS?|NO|ALL)_PROXY)$/i;

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    helm: { type: "string", default: "helm" },
    "data-dir": { type: "string", default: ".landfall/composition" },
    workers: { type: "string", default: "4" },
    resync: { type: "string", default: "180" },
    "health-port": { type: "string" },
    "krateo-namespace": { type: "string", default: "krateo-system" },
    // Seconds between two looks whether a start that waits is better moved; 0 for never.
    "reconsider-every": { type: "string", default: "900" },
    "schedule-only": { type: "boolean", default: false },
    "log-level": { type: "string", default: "info" },
    // The background scan: which bundle is asked about what is there, and how often.
    bundle: { type: "string" },
    "bundle-settings": { type: "string" },
    unsigned: { type: "boolean", default: false },
    crane: { type: "string", default: "crane" },
    "plain-http": { type: "boolean", default: false },
    "forecast-settings": { type: "string" },
    "audit-every": { type: "string", default: "600" },
  },
});

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new LandfallError("CLI_USAGE", { detail: `--${name} ${text} is no positive number` });
}

const positiveOrZero = (name: string, text: string): number => (text === "0" ? 0 : positive(name, text));

function helmOf(dataDirectory: string): Helm {
  const home = join(dataDirectory, "helm");
  const passed = Object.entries(process.env).filter(([key, value]) => PASSED.test(key) && value !== undefined);
  const own = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: join(home, "kube") };
  const kubeconfig = flags.kubeconfig === undefined ? null : resolve(flags.kubeconfig);
  return { binary: flags.helm, kubeconfig, env: { ...(Object.fromEntries(passed) as Record<string, string>), ...own } };
}

function serveHealth(controller: Controller, port: number): () => void {
  const server = createServer((request, response) => {
    const found = request.url === "/healthz";
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(found ? JSON.stringify({ ok: true, ...controller.health() }) : "{}");
  });
  server.listen(port, "127.0.0.1");
  return () => {
    server.close();
    server.closeAllConnections();
  };
}

const log = pino({ level: flags["log-level"], base: null, timestamp: pino.stdTimeFunctions.isoTime });

/** The bundle that the reference names at the moment; loaded anew only when that is another one. */
function followBundle(ref: string): () => Promise<LoadedBundle> {
  let source: BundleSource | null = null;
  let known: { digest: string; bundle: LoadedBundle } | null = null;
  return async () => {
    source ??= await bundleSource(ref);
    const digest = await source.digest();
    if (known?.digest === digest) return known.bundle;
    const { bytes } = await source.fetch(digest);
    known = { digest, bundle: await loadBundle(bytes, ref) };
    return known.bundle;
  };
}

async function bundleSource(ref: string): Promise<BundleSource> {
  const settings = flags["bundle-settings"];
  const { trust } =
    settings === undefined ? defaultSettings(flags.unsigned ? "off" : "required") : await readSettings(settings);
  const registry = { crane: flags.crane, plainHttp: flags["plain-http"], env: process.env };
  return openSource(ref, registry, trust);
}

type Forecasts = (bundle: LoadedBundle) => Promise<ForecastBook | null>;

interface OpenForecasts {
  forecasts: Forecasts;
  stop: () => Promise<void>;
}

/** The same sources of forecasts as the webhook's, so that the scan and the decisions say the same. */
async function openForecasts(file: string | undefined): Promise<OpenForecasts> {
  if (file === undefined) return { forecasts: () => Promise.resolve(null), stop: () => Promise.resolve() };
  const folder = join(resolve(flags["data-dir"]), "measured");
  const keeper = openKeeper({
    ...{ settings: await readForecastSettings(file), folder, forecastHours, random: Math.random },
    onChange: () => undefined,
    onProblem: (source, { line }) => {
      log.warn({ source, error: line }, "a source of forecasts failed");
    },
  });
  const forecasts: Forecasts = async ({ catalog }) => {
    await keeper.follow(fedZones(catalog));
    return keeper.book();
  };
  return { forecasts, stop: () => keeper.stop() };
}

function startAudit(access: ClusterAccess, { forecasts, stop }: OpenForecasts): () => void {
  if (flags.bundle === undefined) return () => undefined;
  const cluster = connect(access);
  const stopScans = startScans({
    cluster,
    bundle: followBundle(flags.bundle),
    forecasts,
    everySeconds: positive("audit-every", flags["audit-every"]),
    now: () => Math.floor(Date.now() / 1000),
    onScan: (result) => {
      log.info(result, "scanned what is there");
    },
    onFailure: (thrown) => {
      log.warn({ error: thrown instanceof LandfallError ? thrown.line : messageOf(thrown) }, "the scan failed");
    },
  });
  return () => {
    stopScans();
    void stop();
    void cluster.close();
  };
}

async function start(access: ClusterAccess): Promise<Controller> {
  const dataDirectory = resolve(flags["data-dir"]);
  await mkdir(join(dataDirectory, "helm"), { recursive: true });
  return startController({
    access,
    helm: helmOf(dataDirectory),
    dataDirectory,
    workers: positive("workers", flags.workers),
    resyncSeconds: positive("resync", flags.resync),
    krateoNamespace: flags["krateo-namespace"],
    scheduleOnly: flags["schedule-only"],
    reconsiderSeconds: positiveOrZero("reconsider-every", flags["reconsider-every"]),
    log,
  });
}

try {
  const access = await readAccess(flags.kubeconfig, process.env);
  const forecasts = await openForecasts(flags["forecast-settings"]);
  const controller = await start(access);
  const stopAudit = startAudit(access, forecasts);
  const port = flags["health-port"];
  const stopHealth =
    port === undefined ? (): void => undefined : serveHealth(controller, positive("health-port", port));
  log.info(
    { workers: flags.workers, resync: flags.resync, scheduleOnly: flags["schedule-only"] },
    "composition started",
  );
  const stop = (signal: string): void => {
    log.info({ signal }, "composition stops");
    stopHealth();
    stopAudit();
    void controller.stop().then(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
} catch (thrown) {
  log.fatal(
    { error: thrown instanceof LandfallError ? thrown.line : messageOf(thrown) },
    "composition could not start",
  );
  process.exitCode = 1;
}
