import type { Logger } from "pino";
import { apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { createInformer } from "../../cluster/create-informer.ts";
import type { CompositionDefinition, ServedChart } from "../types.ts";
import { createWorkQueue, DONE } from "../../cluster/queue/work-queue.ts";
import type { Result, WorkQueueOptions } from "../../cluster/queue/work-queue.ts";
import type { DefinitionContext } from "./definition-context.ts";
import { hostOf } from "../chart/pull-chart.ts";
import { reconcileDefinition } from "./reconcile-definition.ts";
import { reportPin } from "./report-pin.ts";

export interface DefinitionsOptions {
  client: KubeClient;
  context: DefinitionContext;
  log: Logger;
  backoff: WorkQueueOptions["backoff"];
  onFailure: WorkQueueOptions["onFailure"];
  onLost: (path: string, thrown: unknown, failures: number) => void;
  /** A chart is served, or has changed. */
  onServed: (chart: ServedChart) => Promise<void>;
}

export interface Definitions {
  charts(): ServedChart[];
  retryAll(): void;
  drain(): Promise<void>;
}

const PATH = apiPath`/apis/core.krateo.io/v1alpha1/compositiondefinitions`;
/** Milliseconds until a chart in a directory is read again, because it may be edited. */
const DIRECTORY_MS = 30_000;
/** Milliseconds until a registry is asked again whether it still serves what is pinned. */
const PIN_MS = 600_000;
/** Charts fetched at the same time, of these from one host, and registries asked at the same time about what is pinned. */
const WORKERS = { all: 4, host: 2, asking: 2 };

/** Serves every CompositionDefinition of the cluster, and keeps their charts. */
export function serveDefinitions(options: DefinitionsOptions): Definitions {
  const { client, context, backoff, onFailure } = options;
  const charts = new Map<string, ServedChart>();

  async function handle(key: string): Promise<Result> {
    const [namespace = "", name = ""] = key.split("/");
    const definition = informer.lister.get(namespace, name);
    const before = charts.get(key);
    if (!definition) {
      charts.delete(key);
      return DONE;
    }
    const chart = await reconcileDefinition(context, definition as CompositionDefinition);
    if (!chart) {
      charts.delete(key);
      return DONE;
    }
    charts.set(key, chart);
    if (before?.chart.digest !== chart.chart.digest || before.version !== chart.version) await options.onServed(chart);
    if (/^(file:\/\/|\/)/.test(chart.url)) return { requeueAfter: DIRECTORY_MS };
    asking.add(key);
    return { requeueAfter: PIN_MS };
  }

  async function ask(key: string): Promise<Result> {
    const chart = charts.get(key);
    if (chart !== undefined) await reportPin(context, chart);
    return DONE;
  }

  function hostFor(key: string): string {
    const [namespace = "", name = ""] = key.split("/");
    const definition = informer.lister.get(namespace, name) as CompositionDefinition | undefined;
    return hostOf(definition?.spec.chart?.url ?? "");
  }

  // A slow registry holds up neither the charts of other hosts nor those that are pinned.
  const queue = createWorkQueue({
    ...{ workers: WORKERS.all, backoff, onFailure, handle },
    groups: { of: hostFor, workers: WORKERS.host },
  });
  const asking = createWorkQueue({ workers: WORKERS.asking, backoff, onFailure, handle: ask });
  const informer = createInformer({
    client,
    path: PATH,
    onChange(before, now) {
      const { namespace = "", name = "", generation } = (now ?? before)?.metadata ?? {};
      if (now && before?.metadata.generation === generation) return;
      queue.forget(`${namespace}/${name}`);
      queue.add(`${namespace}/${name}`);
    },
    onRecovered: () => {
      queue.retryAll();
    },
    onFailure: (thrown, failures) => {
      options.onLost(PATH, thrown, failures);
    },
  });

  return {
    charts: () => [...charts.values()],
    retryAll: () => {
      queue.retryAll();
    },
    async drain() {
      informer.stop();
      await Promise.all([queue.drain(), asking.drain()]);
    },
  };
}
