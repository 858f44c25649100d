import { createServer } from "node:http";
import { pino } from "pino";
import { readAccess } from "../cluster/read-access.ts";
import { readOperatorFlags } from "../command-line/operator-options.ts";
import { LandfallError, messageOf } from "../errors.ts";
import { DEFAULTS } from "./api/client-options.ts";
import { openClient } from "./api/open-client.ts";
import { serviceUrls } from "./api/service-urls.ts";
import { readElementoCatalog } from "./read-elemento-catalog.ts";
import type { Operator, OperatorOptions } from "./start-operator.ts";
import { startOperator } from "./start-operator.ts";

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

/** /healthz and /metrics, on the loopback address. */
function serveHealth(operator: Operator, port: number): () => void {
  const server = createServer((request, response) => {
    if (request.url === "/metrics") {
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4" });
      response.end(operator.metrics());
      return;
    }
    const found = request.url === "/healthz";
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(found ? JSON.stringify({ ok: true, ...operator.health() }) : "{}");
  });
  server.listen(port, "127.0.0.1");
  return () => {
    server.close();
    server.closeAllConnections();
  };
}

async function start(): Promise<Operator> {
  const options = {
    ownAccount: flags.account,
    allowedUrls: flags.allowedUrls,
    open: openWith(),
    workers: flags.workers,
    resyncSeconds: flags.resync,
  };
  const [access, catalog] = await Promise.all([
    readAccess(flags.kubeconfig, process.env),
    readElementoCatalog(flags.catalog),
  ]);
  return startOperator({ ...options, access, catalog, log });
}

try {
  const operator = await start();
  const port = flags.healthPort;
  const stopHealth = port === undefined ? (): void => undefined : serveHealth(operator, port);
  log.info(
    { account: `${flags.account.namespace}/${flags.account.name}`, workers: flags.workers, resync: flags.resync },
    "elemento operator started",
  );
  const stop = (signal: string): void => {
    log.info({ signal }, "elemento operator stops");
    stopHealth();
    void operator.stop().then(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
} catch (thrown) {
  log.fatal(
    { error: thrown instanceof LandfallError ? thrown.line : messageOf(thrown) },
    "elemento operator could not start",
  );
  process.exitCode = 1;
}
