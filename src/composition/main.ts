import { hostname } from "node:os";
import { resolve } from "node:path";
import { loadKubeconfig } from "../cluster/client/load-kubeconfig.ts";
import { openLogger } from "../cluster/service/open-logger.ts";
import { openTracer, TRACES } from "../cluster/tracing/open-tracer.ts";
import { runService } from "../cluster/service/run-service.ts";
import { readControllerFlags } from "../flags/controller-options.ts";
import { warnProtectionsOff } from "../flags/protections-off.ts";
import type { ControllerOptions } from "./controller/controller.ts";
import { countCompositions } from "./context/composition-metrics.ts";
import { openAudit } from "./process/open-audit.ts";
import { openParts } from "./process/open-parts.ts";
import { countRuns } from "./run/state/run-metrics.ts";
import { startController } from "./controller/start-controller.ts";

const flags = readControllerFlags(process.argv, hostname());
const log = openLogger(flags.logLevel);
const runMetrics = countRuns();
const metrics = countCompositions(runMetrics.registry);

function exit(code: number, when: "now" | "later"): void {
  process.exitCode = code;
  if (when === "now") process.exit();
}

function leadOf(namespace: string | undefined): ControllerOptions["lead"] {
  if (namespace === undefined) return null;
  const onStoppedLeading = (): void => {
    // Another process may have the Lease by now, so this one must stop everything that requires it.
    log.fatal("the Lease is lost");
    process.exit(1);
  };
  return { namespace, identity: flags.identity, onStoppedLeading };
}

const { workers, resync, scheduleOnly = false } = flags;
await runService({ ...flags, name: "composition controller", metrics: runMetrics.registry, log, exit }, async () => {
  const config = await loadKubeconfig(flags.kubeconfig, process.env);
  const surroundings = { config, dataDirectory: resolve(flags.dataDir), log, env: process.env };
  const tracer = await openTracer({ env: process.env, serviceName: "landfall-controller", log });
  warnProtectionsOff(log, { bundles: {}, urls: { [TRACES]: tracer?.url } });
  const audit = await openAudit(flags, surroundings, metrics);
  const controller = startController({
    ...(await openParts(flags, surroundings)),
    ...{ runMetrics, metrics, tracer, lead: leadOf(flags.leaderElect), onStartedLeading: () => audit.start() },
  });
  return {
    about: { workers, resync, scheduleOnly },
    health: () => controller.health(),
    stop: async () => {
      // The process ends when the controller has ended: an interrupted scan has no lasting effect.
      audit.stop().catch(() => undefined);
      try {
        await controller.stop();
      } finally {
        await tracer?.stop();
      }
    },
  };
});
