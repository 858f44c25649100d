import { pino } from "pino";
import { loadKubeconfig } from "../cluster/load-kubeconfig.ts";
import { serveHealth } from "../cluster/serve-health.ts";
import { readOperatorFlags } from "../command-line/operator-options.ts";
import { lineOf } from "../errors.ts";
import { DEFAULTS, serviceUrls } from "./api/client-options.ts";
import { openClient } from "./api/open-client.ts";
import { countMetrics } from "./operator/metrics.ts";
import { readElementoCatalog } from "./read-elemento-catalog.ts";
import { ownNamespaceOnly, readTenants } from "./tenants.ts";
import { type Operator, type OperatorOptions, startOperator } from "./start-operator.ts";

const flags = readOperatorFlags(process.argv, {
  requestsPerSecond: DEFAULTS.requestsPerSecond,
  timeoutSeconds: DEFAULTS.timeoutMs / 1000,
  clusterForm: DEFAULTS.clusterForm,
});

const log = pino({ level: flags.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });

function openWith(): OperatorOptions["open"] {
  const common = {
    ...DEFAULTS,
    requestsPerSecond: flags.requestsPerSecond,
    timeoutMs: flags.timeoutSeconds * 1000,
    clusterForm: flags.clusterForm,
  };
  return ({ url, ...account }, onCall) => openClient({ ...common, account, onCall, urls: serviceUrls(url) });
}

async function start(): Promise<Operator> {
  const options = {
    ownAccount: flags.account,
    allowedUrls: flags.allowedUrls,
    open: openWith(),
    workers: flags.workers,
    resyncSeconds: flags.resync,
  };
  const own = flags.account.namespace;
  const [config, catalog, tenants] = await Promise.all([
    loadKubeconfig(flags.kubeconfig, process.env),
    readElementoCatalog(flags.catalog),
    flags.tenants === undefined ? ownNamespaceOnly(own) : readTenants(flags.tenants, own),
  ]);
  return startOperator({ ...options, config, catalog, tenants, metrics, log });
}

const metrics = countMetrics();
let operator: Operator | null = null;
let stopHealth = (): void => undefined;
try {
  const pages = { health: () => operator?.health() ?? null, metrics: metrics.registry };
  stopHealth = await serveHealth(flags, pages);
  const running = await start();
  operator = running;
  log.info(
    { account: `${flags.account.namespace}/${flags.account.name}`, workers: flags.workers, resync: flags.resync },
    "elemento operator started",
  );
  const stop = (signal: string): void => {
    log.info({ signal }, "elemento operator stopping");
    stopHealth();
    const failed = (thrown: unknown): void =>
      log.error({ error: lineOf(thrown) }, "elemento operator could not stop in order");
    void running
      .stop()
      .catch(failed)
      .finally(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
} catch (thrown) {
  stopHealth();
  log.fatal({ error: lineOf(thrown) }, "elemento operator could not start");
  process.exitCode = 1;
}
