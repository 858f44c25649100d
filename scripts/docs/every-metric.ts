import type { Registry } from "prom-client";
import { watchClock } from "../../src/cluster/service/watch-clock.ts";
import { countCompositions } from "../../src/composition/context/composition-metrics.ts";
import { countRuns } from "../../src/composition/run/state/run-metrics.ts";
import { countMetrics } from "../../src/elemento/operator/metrics.ts";
import { countAdmissions } from "../../webhook/metrics/admission-metrics.ts";
import { addCertificateMetrics } from "../../webhook/metrics/certificate-metrics.ts";
import { measureLedger } from "../../webhook/metrics/ledger-metrics.ts";
import { addRegistrationMetrics } from "../../webhook/metrics/registration-metrics.ts";
import { createWebhookMetrics } from "../../webhook/metrics/webhook-metrics.ts";

export interface KnownMetric {
  name: string;
  type: string;
  help: string;
  labels: readonly string[];
}

/** A source that is never asked: only the definitions are read, not the values. */
const never = (): never => {
  throw new TypeError("a definition needs no value");
};

function webhookRegistry(): Registry {
  const metrics = createWebhookMetrics({
    ...{
      bundles: never,
      forecasts: never,
      lostDecisions: never,
      dataBytes: never,
      reviews: never,
      certificateEnd: never,
    },
  });
  metrics.stop();
  const { registry } = metrics;
  countAdmissions(registry);
  addCertificateMetrics(registry, { problem: never, status: never });
  addRegistrationMetrics(registry, { state: never, restored: never });
  measureLedger({ claim: never, withdraw: never, see: never, counts: never, stop: never }).register(registry);
  return registry;
}

function controllerRegistry(): Registry {
  const { registry } = countRuns();
  countCompositions(registry);
  return registry;
}

function withClock(registry: Registry): Registry {
  watchClock(registry, { log: { warn: never } })();
  return registry;
}

function described(registry: Registry): KnownMetric[] {
  const metrics = registry.getMetricsAsArray().map((metric): KnownMetric => {
    const { name, help, type, labelNames = [] } = metric as unknown as KnownMetric & { labelNames?: string[] };
    return { name, help, type, labels: labelNames.filter((label) => label !== "le") };
  });
  return metrics.sort((one, other) => one.name.localeCompare(other.name));
}

/** Every metric of each process, by the process's name. */
export const everyMetric = (): Record<string, KnownMetric[]> => ({
  webhook: described(withClock(webhookRegistry())),
  "composition controller": described(withClock(controllerRegistry())),
  "Elemento operator": described(withClock(countMetrics().registry)),
});
