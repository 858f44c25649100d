import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { pino } from "pino";
import { createClient } from "../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../src/cluster/client/load-kubeconfig.ts";
import { createServerClock } from "../src/cluster/server-clock.ts";
import { openLogger } from "../src/cluster/service/open-logger.ts";
import { openTracer, TRACES } from "../src/cluster/tracing/open-tracer.ts";
import { watchClock } from "../src/cluster/service/watch-clock.ts";
import { warnProtectionsOff } from "../src/flags/protections-off.ts";
import { readWebhookFlags } from "../src/flags/webhook-options.ts";
import { LandfallError, messageOf } from "../src/errors.ts";
import { buildWebhook } from "./build-webhook.ts";
import { collectGarbage } from "./decisions/collect-garbage.ts";
import { openParts } from "./open-parts.ts";
import { addCertificateMetrics } from "./metrics/certificate-metrics.ts";
import { addRegistrationMetrics } from "./metrics/registration-metrics.ts";
import { readClientTrust } from "./authentication/client-trust.ts";
import { openCertificate } from "./certificates/open-certificate.ts";
import { startRegistration } from "./registration/start-registration.ts";

const FLUSH_MS = 200;

const flags = readWebhookFlags(process.argv);

// Child processes read the compile cache from the environment: with it, the process of a new bundle starts in half the time.
process.env["NODE_COMPILE_CACHE"] ??= join(flags.dataDir, "compiled");
enableCompileCache(process.env["NODE_COMPILE_CACHE"]);

// Lines are written in batches: a request must not wait for a log line.
const logger = openLogger(flags.logLevel, pino.destination({ dest: 1, sync: false, minLength: 4096 }));
const flushing = setInterval(() => logger.flush(), FLUSH_MS);

/** Stops what runs so far, the latest first, and ends the process. pino writes what was logged when the process ends. */
const closers: (() => Promise<void>)[] = [];
async function end(exitCode: number): Promise<void> {
  for (const close of closers.splice(0).reverse())
    await close().catch((thrown: unknown) => logger.error({ detail: messageOf(thrown) }, "a part cannot be closed"));
  clearInterval(flushing);
  if (exitCode === 0) logger.info("stopped");
  logger.flush();
  process.exit(exitCode);
}

try {
  const trust = await readClientTrust(flags);
  // Certificates are judged and issued by the API server's clock: that of this machine may be wrong, and all replicas share them.
  const clock = createServerClock(() => performance.now());
  const config = await loadKubeconfig(flags.kubeconfig, process.env);
  const client = createClient(config, undefined, (date) => clock.saw(date));
  closers.push(() => client.close());

  const certificate = await openCertificate(flags, { client, clock, logger });
  closers.push(() => certificate.stop());
  const { key, cert } = certificate.first;
  const tls = { key, cert, ...trust };
  const tracer = await openTracer({ env: process.env, serviceName: "landfall-webhook", log: logger });
  closers.push(async () => tracer?.stop());
  const parts = await openParts(flags, { client, tls, logger, env: process.env });
  const { trust: signers, others } = parts.bundle.settings;
  warnProtectionsOff(logger, {
    ...flags,
    urls: {
      ...{ "--decision-log": flags.decisionLog, "--scheduler": flags.scheduler, [TRACES]: tracer?.url },
      ...parts.forecasts?.urls,
    },
    bundles: { bundle: signers.mode, ...Object.fromEntries(others.map((other) => [other.name, other.trust.mode])) },
  });
  // The first bundle needs the memory that starting has used.
  collectGarbage();

  const webhook = buildWebhook({ ...parts, certificate, tracer });
  closers.push(() => webhook.stop());
  certificate.tell(webhook.state);
  watchClock(webhook.metrics, { log: logger });
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => void webhook.drain(1000 * flags.drainSeconds).then(async () => end(0)));

  logger[flags.door === "client-certificate" ? "info" : "warn"](
    { door: flags.door },
    flags.door === "none" || flags.door === "auto"
      ? "callers that show no identity get provisional decisions, which a controller confirms"
      : "callers that show no identity are refused",
  );
  certificate.follow((next) => {
    webhook.app.server.setSecureContext({
      ...{ key: next.key, cert: next.cert, minVersion: "TLSv1.3" },
      ...(tls.clientCa === "" ? {} : { ca: tls.clientCa }),
    });
  });
  addCertificateMetrics(webhook.metrics, certificate);
  const address = await webhook.app.listen({ port: flags.port, host: flags.host });
  if (flags.register === true) {
    const registration = await startRegistration(flags, { ...parts, client, clock, address, certificate });
    closers.push(() => registration.stop());
    addRegistrationMetrics(webhook.metrics, registration);
    certificate.tell(() => ({ ...webhook.state(), registration: registration.state() }));
  }
} catch (thrown) {
  const { code, line } = thrown instanceof LandfallError ? thrown : { code: undefined, line: messageOf(thrown) };
  logger.fatal({ code, detail: line }, "cannot start");
  await end(1);
}
