import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { pino } from "pino";
import { pullBundle } from "../src/bundle/pull-bundle.ts";
import { connect } from "../src/cluster/connect.ts";
import { readAccess } from "../src/cluster/read-access.ts";
import { LandfallError, messageOf } from "../src/errors.ts";
import { watchNamespaces } from "../src/facts/namespaces.ts";
import { loadBundle } from "../src/policy/load-bundle.ts";
import { buildApp } from "./build-app.ts";
import { makeServingCertificate } from "./certificates.ts";
import { holdPolicy } from "./policy-holder.ts";
import { register } from "./register.ts";
import { sealKey } from "./seal-key.ts";

interface Options {
  port: string;
  host: string;
  kubeconfig?: string;
  bundle: string;
  clientCa: string;
  dataDir: string;
  register?: boolean;
  url?: string;
  crane: string;
  plainHttp?: boolean;
  logLevel: string;
}

const options = new Command("webhook")
  .description("Landfall's admission webhook")
  .option("--port <number>", "port to listen on; 0 chooses a free one", "8443")
  .option("--host <address>", "address to listen on", "127.0.0.1")
  .option("--kubeconfig <file>", "how to reach the API server; the Pod's service account where left out")
  .requiredOption("--bundle <ref>", "policy bundle: an OCI reference or a file")
  .requiredOption("--client-ca <file>", "CA of the API server's client certificate (PEM)")
  .requiredOption("--data-dir <dir>", "where the seal's key is kept")
  .option("--register", "write the webhook configurations for this process")
  .option("--url <url>", "how the API server reaches this process; https://HOST:PORT where left out")
  .option("--crane <file>", "the crane program, for bundles in a registry", "crane")
  .option("--plain-http", "the registry speaks HTTP without TLS")
  .option("--log-level <level>", "fatal, error, warn, info, debug", "info")
  .parse()
  .opts<Options>();

// Lines are written in batches: a log line must not hold a request up.
const logger = pino(
  { level: options.logLevel, base: null },
  pino.destination({ dest: 1, sync: false, minLength: 4096 }),
);
const flushing = setInterval(() => logger.flush(), 200);
const cluster = connect(await readAccess(options.kubeconfig, process.env));

const policy = holdPolicy(
  async () => {
    const { bytes } = await pullBundle({
      crane: options.crane,
      ref: options.bundle,
      plainHttp: options.plainHttp === true,
    });
    return loadBundle(bytes, options.bundle);
  },
  (event, detail) => {
    logger.info({ detail }, event);
  },
);
const namespaces = watchNamespaces(cluster, (message) => {
  logger.warn({ detail: message }, "namespaces: the watch broke and is opened again");
});
const began = Date.now();
const hosts = options.url === undefined ? [options.host, "localhost"] : [new URL(options.url).hostname];
const certificate = await makeServingCertificate(hosts);
const app = buildApp({
  policy: () => policy.active(),
  namespace: (name) => namespaces.get(name),
  now: () => Math.floor(Date.now() / 1000),
  sealKey: await sealKey(options.dataDir),
  status: () => {
    const active = policy.active();
    return {
      ready: active !== null && namespaces.synced(),
      policy: active === null ? null : { ref: active.ref, digest: active.digest, revision: active.revision },
      policyError: policy.lastError(),
      namespacesSynced: namespaces.synced(),
      uptimeSeconds: Math.round((Date.now() - began) / 1000),
    };
  },
  tls: { key: certificate.key, cert: certificate.cert, clientCa: await readFile(options.clientCa, "utf8") },
  logger,
});

async function stop(): Promise<void> {
  policy.stop();
  await app.close();
  namespaces.stop();
  await cluster.close();
  clearInterval(flushing);
  logger.info("stopped");
  logger.flush();
  process.exit(0);
}
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop());

try {
  const address = await app.listen({ port: Number(options.port), host: options.host });
  if (options.register === true) {
    await register(cluster, { url: options.url ?? address, ca: certificate.ca });
    logger.info({ url: options.url ?? address }, "registered");
  }
} catch (thrown) {
  logger.fatal({ detail: thrown instanceof LandfallError ? thrown.line : messageOf(thrown) }, "cannot start");
  logger.flush();
  process.exitCode = 1;
  await stop();
}
