import { createServer } from "node:http";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { readAccess } from "../cluster/read-access.ts";
import { LandfallError, messageOf } from "../errors.ts";
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
    "schedule-only": { type: "boolean", default: false },
    "log-level": { type: "string", default: "info" },
  },
});

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new LandfallError("CLI_USAGE", { detail: `--${name} ${text} is no positive number` });
}

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

async function start(): Promise<Controller> {
  const dataDirectory = resolve(flags["data-dir"]);
  await mkdir(join(dataDirectory, "helm"), { recursive: true });
  return startController({
    access: await readAccess(flags.kubeconfig, process.env),
    helm: helmOf(dataDirectory),
    dataDirectory,
    workers: positive("workers", flags.workers),
    resyncSeconds: positive("resync", flags.resync),
    krateoNamespace: flags["krateo-namespace"],
    scheduleOnly: flags["schedule-only"],
    log,
  });
}

try {
  const controller = await start();
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
