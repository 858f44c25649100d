import type { Logger } from "pino";
import { apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { createInformer } from "../../cluster/create-informer.ts";
import { metadataChanged } from "../../cluster/predicates.ts";
import type { CompositionDefinition, ServedChart } from "../types.ts";
import { createWorkQueue, DONE } from "../../cluster/queue/work-queue.ts";
import type { Result, WorkQueueOptions } from "../../cluster/queue/work-queue.ts";
import type { DefinitionContext } from "./definition-context.ts";
import { hostOf } from "../chart/pull-chart.ts";
import { guardKinds } from "./guard-kinds.ts";
import { keepCharts } from "./kept-charts.ts";
import type { InstalledChart } from "../record/installed-chart.ts";
import { reconcileDefinition } from "./reconcile-definition.ts";
import { reportPin } from "./report-pin.ts";
import { isUsed, type KnownObjects, pluralOf } from "./use-of.ts";

export interface DefinitionsOptions {
  client: KubeClient;
  context: DefinitionContext;
  log: Logger;
  backoff: WorkQueueOptions["backoff"];
  onFailure: WorkQueueOptions["onFailure"];
  onLost: (path: string, thrown: unknown, failures: number) => void;
  /** A chart is served, has changed, or is no longer served; or its CRD was made again. */
  onServed: (chart: ServedChart) => Promise<void>;
  /** The objects of a kind, by its plural; null while it is not watched. */
  objectsOf: (plural: string) => KnownObjects | null;
}

export interface Definitions {
  charts(): ServedChart[];
  /** The chart that is installed for an object which waits for a newer version of it; null if it is not kept. Throws REL_CHART_…. */
  kept(served: ServedChart, installed: InstalledChart): Promise<ServedChart | null>;
  /** Whether this controller made the kind of this plural, and no definition of it is left; null while that is not known. */
  isUnserved(plural: string): boolean | null;
  /** The definition of a chart; null if it is gone. */
  get(of: ServedChart["definition"]): CompositionDefinition | null;
  /** There is an object of this kind. */
  saw(plural: string): void;
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

/** A definition of the same name with another uid has no status yet. */
const isNewSpec = metadataChanged("uid", "generation");

const isNewChart = (before: ServedChart | undefined, now: ServedChart): boolean =>
  before?.chart.digest !== now.chart.digest || before.version !== now.version;

/** Serves every CompositionDefinition of the cluster, and keeps their charts. */
export function serveDefinitions(options: DefinitionsOptions): Definitions {
  const { client, context, backoff, onFailure } = options;
  const charts = new Map<string, ServedChart>();
  const keeper = keepCharts(context);
  /** Definitions whose CRD was deleted, until it is there again. */
  const lost = new Set<string>();

  const definitions = (): CompositionDefinition[] => informer.lister.list() as CompositionDefinition[];

  const get = ({ namespace, name }: ServedChart["definition"]): CompositionDefinition | null =>
    (informer.lister.get(namespace, name) ?? null) as CompositionDefinition | null;

  /** Objects that follow a definition which is gone, or not used any more, report it. */
  async function drop(key: string): Promise<Result> {
    const before = charts.get(key);
    charts.delete(key);
    lost.delete(key);
    if (before !== undefined) await options.onServed(before);
    return DONE;
  }

  async function handle(key: string): Promise<Result> {
    const [namespace = "", name = ""] = key.split("/");
    const definition = informer.lister.get(namespace, name);
    const before = charts.get(key);
    if (!definition) return drop(key);
    const chart = await reconcileDefinition(context, definition as CompositionDefinition);
    if (!chart) return drop(key);
    charts.set(key, chart);
    if (before?.version !== chart.version) keeper.keep(before);
    if (lost.delete(key) || isNewChart(before, chart)) await options.onServed(chart);
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
      const { namespace = "", name = "" } = (now ?? before)?.metadata ?? {};
      guard.check();
      if (now !== null && !isNewSpec(before, now)) return;
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
  const guard = guardKinds({
    ...{ context, objectsOf: options.objectsOf, definitions, backoff, onFailure, onLost: options.onLost },
    onDeleted(plural) {
      for (const definition of definitions().filter((one) => pluralOf(one) === plural)) {
        const { namespace = "", name = "" } = definition.metadata;
        const key = `${namespace}/${name}`;
        lost.add(key);
        queue.forget(key);
        queue.add(key);
      }
    },
  });

  return {
    saw: (plural) => {
      guard.saw(plural);
    },
    isUnserved(plural) {
      const isOwn = guard.isOwn(plural);
      if (isOwn !== true || !informer.isCurrent()) return isOwn === false ? false : null;
      return !definitions().some((one) => isUsed(context, one) && pluralOf(one) === plural);
    },
    charts: () => [...charts.values()],
    async kept(served, installed) {
      const definition = get(served.definition);
      return definition && keeper.find(served, definition, installed);
    },
    get,
    retryAll: () => {
      queue.retryAll();
    },
    async drain() {
      informer.stop();
      await Promise.all([queue.drain(), asking.drain(), guard.stop()]);
    },
  };
}
