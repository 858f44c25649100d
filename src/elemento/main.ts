import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { readAccess } from "../cluster/read-access.ts";
import { LandfallError, messageOf } from "../errors.ts";
import { DEFAULTS } from "./api/client-options.ts";
import { openClient } from "./api/open-client.ts";
import { serviceUrls } from "./api/service-urls.ts";
import type { AccountKey } from "./operator/open-accounts.ts";
import { readElementoCatalog } from "./read-elemento-catalog.ts";
import type { Operator, OperatorOptions } from "./start-operator.ts";
import { startOperator } from "./start-operator.ts";

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    // Secret with the account of objects that name none.
    account: { type: "string", default: "landfall-system/elemento-account" },
    // Beginnings of addresses that other Secrets may name.
    "allowed-urls": { type: "string", default: "" },
    catalog: { type: "string", default: fileURLToPath(new URL("../../catalog", import.meta.url)) },
    workers: { type: "string", default: "64" },
    resync: { type: "string", default: "120" },
    "requests-per-second": { type: "string", default: String(DEFAULTS.requestsPerSecond) },
    "timeout-seconds": { type: "string", default: String(DEFAULTS.timeoutMs / 1000) },
    "cluster-form": { type: "string", default: DEFAULTS.clusterForm },
    "health-port": { type: "string" },
    "log-level": { type: "string", default: "info" },
  },
});

const usage = (detail: string): LandfallError => new LandfallError("CLI_USAGE", { detail });

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw usage(`--${name} ${text} is no positive number`);
}

function accountKey(text: string): AccountKey {
  const [namespace = "", name = "", more] = text.split("/");
  if (namespace === "" || name === "" || more !== undefined) throw usage(`--account ${text} is no NAMESPACE/NAME`);
  return { namespace, name };
}

function clusterForm(text: string): "note" | "intent" {
  if (text === "note" || text === "intent") return text;
  throw usage(`--cluster-form ${text} is neither note nor intent`);
}

const log = pino({ level: flags["log-level"], base: null, timestamp: pino.stdTimeFunctions.isoTime });

function openWith(): OperatorOptions["open"] {
  const common = {
    ...DEFAULTS,
    requestsPerSecond: positive("requests-per-second", flags["requests-per-second"]),
    timeoutMs: positive("timeout-seconds", flags["timeout-seconds"]) * 1000,
    clusterForm: clusterForm(flags["cluster-form"]),
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
    ownAccount: accountKey(flags.account),
    allowedUrls: flags["allowed-urls"].split(",").filter((prefix) => prefix !== ""),
    open: openWith(),
    workers: positive("workers", flags.workers),
    resyncSeconds: positive("resync", flags.resync),
  };
  const [access, catalog] = await Promise.all([
    readAccess(flags.kubeconfig, process.env),
    readElementoCatalog(flags.catalog),
  ]);
  return startOperator({ ...options, access, catalog, log });
}

try {
  const operator = await start();
  const port = flags["health-port"];
  const stopHealth = port === undefined ? (): void => undefined : serveHealth(operator, positive("health-port", port));
  log.info({ account: flags.account, workers: flags.workers, resync: flags.resync }, "elemento operator started");
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
