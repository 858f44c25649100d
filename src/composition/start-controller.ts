import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { LandfallError, messageOf } from "../errors.ts";
import { hasStatus } from "../cluster/api-error.ts";
import type { RestConfig } from "../cluster/rest-config.ts";
import { createClient, type KubeClient } from "../cluster/create-client.ts";
import { discover, type Discovery } from "../cluster/discover.ts";
import { electLeader, type LeaderElection } from "../cluster/elect-leader.ts";
import { createEventRecorder } from "../cluster/create-event-recorder.ts";
import { watchManaged } from "./release/watch-managed.ts";
import { type Definitions, serveDefinitions } from "./definition/serve-definitions.ts";
import type { Helm } from "./helm/run-helm.ts";
import { chooseChart } from "./choose-chart.ts";
import type { CompositionContext } from "./context.ts";
import { reconcileComposition } from "./reconcile-composition.ts";
import { reconsiderStarts } from "./schedule/reconsider-starts.ts";
import { reportSchedule } from "./schedule/report-schedule.ts";
import { startDue } from "./schedule/start-due.ts";
import { type CompositionWatches, watchCompositions } from "./watch-compositions.ts";
import pLimit from "p-limit";
import { lockNames } from "../cluster/lock-names.ts";
import { createWorkQueue, DONE, type Result, type WorkQueue } from "../cluster/work-queue.ts";

export interface ControllerOptions {
  config: RestConfig;
  helm: Helm;
  dataDirectory: string;
  /** How many helm processes run at once. */
  workers: number;
  resyncSeconds: number;
  krateoNamespace: string;
  /** Only lift pauses and count down to them: for a cluster where Krateo's own controller installs. */
  scheduleOnly: boolean;
  /** Seconds between two looks whether a start that waits is better moved; 0 for never. */
  reconsiderSeconds: number;
  /** Where several run: only the holder of a Lease installs, under this name. Null where this one is alone. */
  lead: { namespace: string; identity: string; onStoppedLeading: () => void } | null;
  log: Logger;
}

export interface Controller {
  /** What /healthz shows. */
  health(): { compositions: number; definitions: number };
  /** Takes no more work, waits for what is underway, closes the connections. */
  stop(): Promise<void>;
}

/** What the parts of the controller share; they are put in as they are made. */
interface Parts {
  options: ControllerOptions;
  client: KubeClient;
  discovery: Discovery;
  context: CompositionContext;
  compositions: CompositionWatches;
  queue: WorkQueue;
  /** Null for one that does not install, or not yet. */
  definitions: Definitions | null;
  election: LeaderElection | null;
}

/** Events of many resources of one composition in a row give one reconcile, after this many ms. */
const SETTLE_MS = 150;
/** Ms between two looks for new kinds of composition.krateo.io. */
const DISCOVER_MS = 5000;
const BACKOFF = { firstMs: 1000, maxMs: 60_000 };
/** Reconciles at once; most of them wait for their turn with helm or for the API server. */
const RECONCILES = 64;
/** As Kubernetes' own controllers have them: one that was killed is succeeded after 15 s. */
const LEASE = { name: "landfall-composition", leaseDurationMs: 15_000, retryPeriodMs: 3000 };
/** Ms for what is underway to end by itself before the watches that it may wait for are closed. */
const DRAIN_MS = 3000;

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const logLost =
  (log: Logger) =>
  (path: string, thrown: unknown, failures: number): void => {
    log.warn({ path, failures, error: messageOf(thrown) }, "watch lost; trying again");
  };

const logRetry =
  (log: Logger) =>
  (key: string, thrown: unknown, retryMs: number): void => {
    const code = thrown instanceof LandfallError ? thrown.code : "unexpected";
    log.warn({ key, code, error: messageOf(thrown), retryMs }, "reconcile failed");
  };

function retryAll(parts: Parts): void {
  parts.queue.retryAll();
  parts.definitions?.retryAll();
}

/** Ignores the back-off. */
function reconcileNow({ queue }: Parts, key: string): void {
  queue.forget(key);
  queue.add(key);
}

function createContext(parts: Parts): CompositionContext {
  const { options, client, discovery } = parts;
  const { helm, log, workers, krateoNamespace, resyncSeconds } = options;
  const managed = watchManaged({
    client,
    discovery,
    onChange: (owner) => {
      parts.queue.addAfter(owner, SETTLE_MS);
    },
    onFailure: logLost(log),
    onRecovered: () => {
      retryAll(parts);
    },
  });
  return {
    ...{ client, discovery, helm, managed, log, krateoNamespace, resyncSeconds },
    ...{ helmSlot: pLimit(workers), alone: lockNames() },
    record: createEventRecorder(client, "landfall-composition", Date.now),
    nowSeconds,
    servedFor: (composition) => chooseChart(composition, parts.definitions?.charts() ?? []),
    releases: new Map(),
  };
}

async function handleComposition(parts: Parts, key: string): Promise<Result> {
  const composition = parts.compositions.get(key);
  if (!composition) return DONE;
  try {
    return await (parts.definitions === null ? reportSchedule : reconcileComposition)(parts.context, composition);
  } catch (thrown) {
    // The watch lags behind a change of someone else: look again when it has caught up.
    if (hasStatus(thrown, 409)) return { requeueAfter: 200 };
    if (hasStatus(thrown, 404)) return { requeueAfter: 1000 };
    throw thrown;
  }
}

function createCompositions(parts: Parts): CompositionWatches {
  const { client, discovery, options } = parts;
  return watchCompositions({
    client,
    discovery,
    onFailure: logLost(options.log),
    onChange: (key) => {
      reconcileNow(parts, key);
    },
    onGone: (key) => {
      parts.queue.forget(key);
      parts.context.managed.release(key);
    },
    onRecovered: () => {
      retryAll(parts);
    },
  });
}

function createDefinitions(parts: Parts): Definitions {
  const { client, options } = parts;
  const { helm, log, dataDirectory } = options;
  return serveDefinitions({
    ...{ client, log, backoff: BACKOFF },
    context: { client, helm, log, nowSeconds, chartDirectory: join(dataDirectory, "charts") },
    onFailure: logRetry(log),
    onLost: logLost(log),
    async onServed(chart) {
      await parts.compositions.refresh();
      const served = parts.compositions.list().filter(({ object }) => object.kind === chart.kind);
      for (const { key } of served) reconcileNow(parts, key);
    },
  });
}

/** Each part reaches the others through `parts`, which is complete before any of them is called back. */
function createParts(options: ControllerOptions, client: KubeClient): Parts {
  const parts = { options, client, discovery: discover(client), definitions: null } as unknown as Parts;
  parts.context = createContext(parts);
  parts.queue = createWorkQueue({
    workers: RECONCILES,
    backoff: BACKOFF,
    onFailure: logRetry(options.log),
    handle: (key) => handleComposition(parts, key),
  });
  parts.compositions = createCompositions(parts);
  parts.election = joinElection(parts);
  return parts;
}

/** Starts to install: at once if no other controller may run, else as soon as this one leads. */
function joinElection(parts: Parts): LeaderElection | null {
  const { options, client, compositions } = parts;
  const { lead, log, scheduleOnly } = options;
  if (scheduleOnly) return null;
  const install = (): void => {
    parts.definitions = createDefinitions(parts);
    for (const { key } of compositions.list()) reconcileNow(parts, key);
  };
  if (lead === null) {
    install();
    return null;
  }
  const onFailure = (thrown: unknown): void => {
    log.warn({ error: messageOf(thrown) }, "the Lease could not be read or written");
  };
  const clocks = { nowMs: Date.now, elapsedMs: () => performance.now() };
  const election = electLeader({ client, ...lead, ...LEASE, ...clocks, onFailure });
  void election.elected.then(() => {
    log.info({ identity: lead.identity }, "holds the Lease; installs from now on");
    install();
  });
  return election;
}

/** Lifts the pauses, and has the starts that wait decided again. Answers a function that stops both. */
function watchStarts({ options, client, compositions, context }: Parts): () => Promise<unknown> {
  const { log, reconsiderSeconds: everySeconds } = options;
  const { record } = context;
  const shared = { client, list: () => compositions.list(), record, log, nowSeconds };
  const stops = [startDue(shared)];
  if (everySeconds > 0) stops.push(reconsiderStarts({ ...shared, everySeconds, random: Math.random }));
  return () => Promise.all(stops.map((stop) => stop()));
}

/** Starts everything that the composition controller does. */
export function startController(options: ControllerOptions): Controller {
  const { log } = options;
  const client = createClient(options.config);
  const parts = createParts(options, client);
  const { compositions, context, queue } = parts;
  const refresh = (): void => {
    compositions.refresh().catch((thrown: unknown) => {
      log.debug({ error: messageOf(thrown) }, "discovery failed");
    });
  };
  refresh();
  const timer = setInterval(refresh, DISCOVER_MS);
  const stopStarts = watchStarts(parts);
  return {
    health: () => ({ compositions: compositions.list().length, definitions: parts.definitions?.charts().length ?? 0 }),
    async stop() {
      clearInterval(timer);
      const drained = Promise.all([stopStarts(), parts.definitions?.drain(), queue.drain()]);
      await Promise.race([drained, sleep(DRAIN_MS)]);
      compositions.stop();
      context.managed.stop();
      await drained;
      await parts.election?.release().catch(() => undefined);
      await client.close();
    },
  };
}
