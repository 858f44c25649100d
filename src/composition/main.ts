import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { pino } from "pino";
import { type OpenForecasts, openForecasts } from "../audit/open-forecasts.ts";
import { startScans } from "../audit/start-scans.ts";
import { type BundleSource, openSource } from "../bundle/open-source.ts";
import { defaultSettings, readSettings } from "../bundle/read-settings.ts";
import type { RestConfig } from "../cluster/rest-config.ts";
import { createClient } from "../cluster/create-client.ts";
import { loadKubeconfig } from "../cluster/load-kubeconfig.ts";
import { serveHealth } from "../cluster/serve-health.ts";
import { readControllerFlags } from "../command-line/controller-options.ts";
import { LandfallError, messageOf } from "../errors.ts";
import { forecastHours } from "../forecast/forecast-hours.ts";
import type { OtherKind } from "../model/other-bundle.ts";
import { loadBundles } from "../policy/load-bundles.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import type { Helm } from "./helm/run-helm.ts";
import type { Controller, ControllerOptions } from "./start-controller.ts";
import { startController } from "./start-controller.ts";

/** What helm may see of the environment: how to reach a network, and the cluster that it runs in. */
const PASSED = /^(PATH|HOME|TMPDIR|SSL_CERT_(FILE|DIR)|KUBERNETES_SERVICE_\w+|(HTTPS?|NO|ALL)_PROXY)$/i;

const flags = readControllerFlags(process.argv, hostname());

function helmOf(dataDirectory: string): Helm {
  const home = join(dataDirectory, "helm");
  const passed = Object.entries(process.env).filter(([key, value]) => PASSED.test(key) && value !== undefined);
  const own = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: join(home, "kube") };
  const kubeconfig = flags.kubeconfig === undefined ? null : resolve(flags.kubeconfig);
  return { binary: flags.helm, kubeconfig, env: { ...(Object.fromEntries(passed) as Record<string, string>), ...own } };
}

const log = pino({ level: flags.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });

/** What a reference names now; what it named before where that cannot be had and `keep` says so. Null for nothing yet. */
function latestOf(source: BundleSource, keep: boolean): () => Promise<Latest | null> {
  let known: Latest | null = null;
  return async () => {
    try {
      const digest = await source.digest();
      if (known?.digest !== digest) known = { digest, ref: source.ref, bytes: (await source.fetch(digest)).bytes };
    } catch (thrown) {
      if (!keep) throw thrown;
      log.warn({ error: messageOf(thrown) }, "a bundle cannot be had, the one before is used");
    }
    return known;
  };
}

interface Latest {
  digest: string;
  ref: string;
  bytes: Uint8Array;
}

interface Followed {
  /** Null for the platform's own. */
  beside: { name: string; kind: OtherKind; required: boolean } | null;
  latest: () => Promise<Latest | null>;
}

/** The platform's bundle and those of the settings, as the webhook follows them. */
async function openBundles(ref: string): Promise<Followed[]> {
  const file = flags.bundleSettings;
  const { trust, others } =
    file === undefined ? defaultSettings(flags.unsigned === true ? "off" : "required") : await readSettings(file);
  const registry = { crane: flags.crane, plainHttp: flags.plainHttp, env: process.env };
  const platform = { beside: null, latest: latestOf(await openSource(ref, registry, trust), false) };
  const beside = others.map(async (other) => ({
    beside: other,
    latest: latestOf(await openSource(other.ref, registry, other.trust), true),
  }));
  return [platform, ...(await Promise.all(beside))];
}

/** The bundles that the references name at the moment as one; loaded anew only when one is another. */
function followBundles(ref: string): () => Promise<LoadedBundle> {
  let followed: Followed[] | null = null;
  let known: { digests: string; bundle: LoadedBundle } | null = null;

  async function load(bundles: readonly (Followed & { now: Latest | null })[]): Promise<LoadedBundle> {
    const missing = bundles.flatMap(({ beside, now }) => (now === null && beside !== null ? [beside] : []));
    const required = missing.find((one) => one.required);
    if (required !== undefined) throw new LandfallError("BUNDLE_REQUIRED", { name: required.name });
    const there = bundles.flatMap(({ beside, now }) => (now === null ? [] : [{ ...now, expected: beside }]));
    const [platform] = there;
    if (platform === undefined) throw new LandfallError("BUNDLE_NONE");
    const { bundle } = await loadBundles(platform, there.slice(1));
    return { ...bundle, absent: missing.map(({ name }) => name) };
  }

  return async () => {
    followed ??= await openBundles(ref);
    const bundles = await Promise.all(followed.map(async (one) => ({ ...one, now: await one.latest() })));
    const digests = bundles.map(({ now }) => now?.digest).join();
    if (known?.digests === digests) return known.bundle;
    try {
      known = { digests, bundle: await load(bundles) };
    } catch (thrown) {
      if (known === null) throw thrown;
      log.warn({ error: messageOf(thrown) }, "new bundles cannot be used, those before are");
    }
    return known.bundle;
  };
}

function startAudit(config: RestConfig, { forecasts, stop }: OpenForecasts): () => void {
  if (flags.bundle === undefined) return () => undefined;
  const client = createClient(config);
  const stopScans = startScans({
    client,
    bundle: followBundles(flags.bundle),
    forecasts,
    everySeconds: flags.auditEvery,
    nowSeconds: () => Math.floor(Date.now() / 1000),
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
    void client.close();
  };
}

function leadOf(namespace: string | undefined): ControllerOptions["lead"] {
  if (namespace === undefined) return null;
  const onStoppedLeading = (): void => {
    // Another one installs by now: nothing that is underway here may go on.
    log.fatal("the Lease is lost");
    process.exit(1);
  };
  return { namespace, identity: flags.identity, onStoppedLeading };
}

async function start(config: RestConfig): Promise<Controller> {
  const dataDirectory = resolve(flags.dataDir);
  await mkdir(join(dataDirectory, "helm"), { recursive: true });
  return startController({
    config,
    helm: helmOf(dataDirectory),
    dataDirectory,
    workers: flags.workers,
    resyncSeconds: flags.resync,
    krateoNamespace: flags.krateoNamespace,
    scheduleOnly: flags.scheduleOnly === true,
    reconsiderSeconds: flags.reconsiderEvery,
    lead: leadOf(flags.leaderElect),
    log,
  });
}

let controller: Controller | null = null;
let stopHealth = (): void => undefined;
try {
  stopHealth = await serveHealth(flags.healthPort, { health: () => controller?.health() ?? null, metrics: null });
  const config = await loadKubeconfig(flags.kubeconfig, process.env);
  const forecasts = await openForecasts(flags.forecastSettings, {
    ...{ folder: join(resolve(flags.dataDir), "measured"), forecastHours, random: Math.random },
    onProblem: (source, { line }) => {
      log.warn({ source, error: line }, "a source of forecasts failed");
    },
  });
  const running = await start(config);
  controller = running;
  const stopAudit = startAudit(config, forecasts);
  log.info(
    { workers: flags.workers, resync: flags.resync, scheduleOnly: flags.scheduleOnly === true },
    "composition started",
  );
  const stop = (signal: string): void => {
    log.info({ signal }, "composition stops");
    stopHealth();
    stopAudit();
    void running.stop().then(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
} catch (thrown) {
  stopHealth();
  log.fatal(
    { error: thrown instanceof LandfallError ? thrown.line : messageOf(thrown) },
    "composition could not start",
  );
  process.exitCode = 1;
}
