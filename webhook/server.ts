import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { pino } from "pino";
import { pullBundle } from "../src/bundle/pull-bundle.ts";
import { connect } from "../src/cluster/connect.ts";
import { readAccess } from "../src/cluster/read-access.ts";
import { LandfallError, messageOf } from "../src/errors.ts";
import { createClusterFacts } from "../src/facts/cluster-facts.ts";
import { watchCluster } from "../src/facts/watch-cluster.ts";
import { answerReview, asLandfallError, refusal, type Reply, type ReviewPath } from "./answer-review.ts";
import { buildApp } from "./build-app.ts";
import { makeServingCertificate } from "./certificates.ts";
import { startThread } from "./decisions/start-thread.ts";
import { holdPolicy } from "./policy-holder.ts";
import { register } from "./register.ts";
import { sealKey } from "./seal-key.ts";

/** The API server gives up after 10 s: an answer that says why has to be there before. */
const DECISION_MS = 8000;

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

const now = (): number => Math.floor(Date.now() / 1000);
const facts = createClusterFacts();
const key = await sealKey(options.dataDir);
const policy = holdPolicy({
  load: async () => {
    const { crane, bundle: ref } = options;
    const { bytes } = await pullBundle({ crane, ref, plainHttp: options.plainHttp === true });
    return { bytes, ref };
  },
  start: ({ bytes, ref }) =>
    startThread({
      ...{ bytes, ref, sealKey: key.export(), events: facts.snapshot(), timeoutMs: DECISION_MS },
      // The thread counts it already; a bundle that is loaded later has to know of it too.
      onReserved: (event) => {
        facts.apply(event);
      },
    }),
  onEvent: (event, detail) => {
    logger.info({ detail }, event);
  },
});
const clusterWatch = watchCluster({
  cluster,
  now,
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
    const thread = policy.thread();
    if (thread === null) throw new LandfallError("BUNDLE_NONE");
    return await thread.ask(path, body);
  } catch (thrown) {
    return answerReview(body, () => refusal(asLandfallError(thrown)));
  }
}

const began = Date.now();
const hosts = options.url === undefined ? [options.host, "localhost"] : [new URL(options.url).hostname];
const certificate = await makeServingCertificate(hosts);
const app = buildApp({
  ask,
  status: () => ({
    ready: policy.thread() !== null && clusterWatch.synced(),
    policy: policy.bundle(),
    policyError: policy.lastError(),
    clusterSynced: clusterWatch.synced(),
    uptimeSeconds: Math.round((Date.now() - began) / 1000),
  }),
  tls: { key: certificate.key, cert: certificate.cert, clientCa: await readFile(options.clientCa, "utf8") },
  logger,
});

async function stop(): Promise<void> {
  await app.close();
  await policy.stop();
  clusterWatch.stop();
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
