import { loadKubeconfig } from "../cluster/client/load-kubeconfig.ts";
import { openLogger } from "../cluster/service/open-logger.ts";
import { runService } from "../cluster/service/run-service.ts";
import { readOperatorFlags } from "../flags/operator-options.ts";
import { warnProtectionsOff } from "../flags/protections-off.ts";
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

const log = openLogger(flags.logLevel);

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
  const urls = Object.fromEntries(options.allowedUrls.map((url) => [`--allowed-urls ${url}`, url]));
  warnProtectionsOff(log, { bundles: {}, urls });
  return startOperator({ ...options, config, catalog, tenants, metrics, log });
}

const metrics = countMetrics();

function exit(code: number, when: "now" | "later"): void {
  process.exitCode = code;
  if (when === "now") process.exit();
}

const account = `${flags.account.namespace}/${flags.account.name}`;
await runService({ ...flags, name: "elemento operator", metrics: metrics.registry, log, exit }, async () => {
  const operator = await start();
  return {
    about: { account, workers: flags.workers, resync: flags.resync },
    health: () => operator.health(),
    stop: () => operator.stop(),
  };
});
