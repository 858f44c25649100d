import { afterEach, expect, it, vi } from "vitest";
import { pino } from "pino";
import { Registry } from "prom-client";
import { openChartRegistry } from "../../../src/bundle/registry/open-chart-registry.ts";
import { countCompositions } from "../../../src/composition/context/composition-metrics.ts";
import type { Controller, ControllerOptions } from "../../../src/composition/controller/controller.ts";
import { countRuns } from "../../../src/composition/run/state/run-metrics.ts";
import { startController } from "../../../src/composition/controller/start-controller.ts";

let controller: Controller | null = null;
afterEach(() => controller?.stop());

/** A controller whose API server refuses connections. */
function start(lead: ControllerOptions["lead"], onStartedLeading: () => void): Controller {
  const headers = (): Promise<Record<string, string>> => Promise.resolve({});
  return startController({
    config: { server: "http://127.0.0.1:1", tls: {}, headers, namespace: "default" },
    helm: { binary: "helm", env: {} },
    ...{ helmWorker: null, helmBy: null },
    ...{
      chartRegistry: openChartRegistry({}),
      charts: {
        namespaces: [],
        passwordHosts: [],
        verify: null,
        signers: new Set<string>(),
        signaturesRequired: false,
      },
      systemNamespace: "landfall-system",
      keys: null,
    },
    ...{ dataDirectory: "unused", workers: 1, resyncSeconds: 60, krateoNamespace: "krateo-system" },
    ...{ graceSeconds: 900, runMetrics: countRuns(), reports: null, metrics: countCompositions(new Registry()) },
    ...{ scheduleOnly: true, reconsiderSeconds: 0, lead, onStartedLeading, log: pino({ level: "silent" }) },
  });
}

it("starts the leader's tasks at once without leader election", () => {
  const onStartedLeading = vi.fn();
  controller = start(null, onStartedLeading);
  expect(onStartedLeading).toHaveBeenCalledTimes(1);
});

it("does not start them without the Lease", async () => {
  const onStartedLeading = vi.fn();
  controller = start({ namespace: "default", identity: "one", onStoppedLeading: vi.fn() }, onStartedLeading);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(onStartedLeading).not.toHaveBeenCalled();
});
