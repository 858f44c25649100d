import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../errors.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import { createClient, type KubeClient } from "../../cluster/client/create-client.ts";
import { openConnections } from "../../cluster/client/open-connections.ts";
import { discover } from "../../cluster/discover.ts";
import type { LeaderElection } from "../../cluster/elect-leader.ts";
import { createServerClock } from "../../cluster/server-clock.ts";
import { openPins } from "../chart/open-pins.ts";
import { watchManaged } from "../managed/watch-managed.ts";
import { type Definitions, serveDefinitions } from "../definition/serve-definitions.ts";
import { sweepIdentities } from "../identity/sweep-identities.ts";
import { openInstaller, type Installer } from "../identity/open-installer.ts";
import type { Controller, ControllerOptions } from "./controller.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { sweepBindings } from "../decision/sweep-bindings.ts";
import { reconcileComposition } from "../reconcile/reconcile-composition.ts";
import { withLoaded } from "../reconcile/with-loaded.ts";
import { finishRemovals } from "../gone/finish-removals.ts";
import { endGone } from "../gone/end-gone.ts";
import { type GoneComposition, settleGone } from "../gone/settle-gone.ts";
import { logLost, logRetry } from "./log-failures.ts";
import { endDue } from "../run/end/end-due.ts";
import { probeAdmission } from "../probe/probe-admission.ts";
import { openRollouts } from "../record/open-rollouts.ts";
import { Rollouts } from "../rollout/rollouts.ts";
import { openPauses } from "../run/follow/run-pauses.ts";
import { openQueue } from "./open-queue.ts";
import { readyStates } from "./ready-states.ts";
import { Lanes } from "../context/lanes.ts";
import { joinElection } from "./join-election.ts";
import { openContext } from "./open-context.ts";
import { serveReportsOf } from "./serve-reports-of.ts";
import { reconsiderStarts } from "../schedule/reconsider-starts.ts";
import { reportSchedule } from "../schedule/report-schedule.ts";
import { type StartOptions, startDue } from "../schedule/start-due.ts";
import { type CompositionWatches, pluralIn, watchCompositions } from "./watch-compositions.ts";
import type { Result, WorkQueue } from "../../cluster/queue/work-queue.ts";
import { nowSeconds } from "../../model/time.ts";

/** Events of a composition's resources within this many ms give one reconcile. */
const SETTLE_MS = 150;
/** Ms between two discoveries of the kinds of composition.krateo.io. */
const DISCOVER_MS = 5000;
const BACKOFF = { firstMs: 1000, maxMs: 60_000 };
/** Ms to wait for the first list of a kind before the wait is an error. */
const LIST_LIMIT_MS = 10_000;
/** Ms for running work to end before the informers that it may wait for are closed. */
const DRAIN_MS = 3000;

/** The controller's parts, made in the order in which they need each other; `start` begins the work. */
class CompositionController implements Controller {
  readonly #options: ControllerOptions;
  readonly #client: KubeClient;
  readonly #clock = createServerClock(() => performance.now(), Date.now);
  readonly #installer: Installer;
  readonly #queue: WorkQueue;
  readonly #context: CompositionContext;
  readonly #compositions: CompositionWatches;
  /** Compositions that no longer exist, until it is known whether their release does. */
  readonly #gone = new Map<string, GoneComposition>();
  /** Null while this process does not install: it does not lead, or another controller installs. */
  #definitions: Definitions | null = null;
  readonly #rollouts: Rollouts;
  #election: LeaderElection | null = null;
  #refreshing: NodeJS.Timeout | undefined;
  readonly #stopStarts: (() => Promise<void>)[] = [];
  #stopped = false;

  constructor(options: ControllerOptions) {
    this.#options = options;
    const connections = openConnections(options.config);
    this.#client = createClient(options.config, connections, (date) => this.#clock.saw(date));
    this.#installer = openInstaller({ ...options, client: this.#client, connections, nowSeconds });
    const discovery = discover(this.#client);
    const onFailure = logLost(options.log);
    const onRecovered = (): void => {
      this.#queue.retryAll();
      this.#definitions?.retryAll();
    };
    const lanes = new Lanes((uid) => this.#context.releases.has(uid));
    this.#queue = openQueue({
      ...{ lanes, backoff: BACKOFF, log: options.log, metrics: options.metrics, tracer: options.tracer ?? null },
      peek: (key) => this.#compositions.peek(key),
      handle: (key) => this.#handle(key),
    });
    const onChange = (owner: string): void => {
      this.#queue.addAfter(owner, SETTLE_MS);
    };
    this.#rollouts = new Rollouts({
      ...{ client: this.#client, log: options.log, nowSeconds, list: () => this.#compositions.list() },
      records: openRollouts(this.#client, options.systemNamespace),
      charts: () => this.#definitions?.charts() ?? [],
      definition: (of) => this.#definitions?.get(of) ?? null,
      servedFor: (object) => this.#context.servedFor(object),
      reconcileNow: (key) => this.#reconcileNow(key),
    });
    const watch = { client: this.#client, discovery, onFailure, onRecovered, listLimitMs: LIST_LIMIT_MS };
    const managed = watchManaged({ ...watch, tenant: this.#installer.tenant, onChange });
    this.#context = openContext({
      ...{ options, client: this.#client, installer: this.#installer, discovery, managed, nowSeconds, lanes },
      rollouts: this.#rollouts,
      serverSeconds: () => this.#clock.nowSeconds(),
      definitions: () => this.#definitions,
    });
    this.#compositions = watchCompositions({
      ...{ ...watch, onlyDecided: options.scheduleOnly },
      onChange: (key) => {
        this.#definitions?.saw(pluralIn(key));
        this.#reconcileNow(key);
      },
      onGone: (gone) => {
        const { key } = gone.composition;
        this.#queue.forget(key);
        lanes.settle(key);
        managed.release(key);
        if (this.#definitions === null) return;
        this.#gone.set(key, gone);
        this.#queue.add(key);
      },
    });
  }

  start(): void {
    const { lead } = this.#options;
    if (lead === null) this.#lead();
    else this.#joinElection(lead);
    this.#options.metrics.observe({
      lanes: () => this.#queue.states(),
      objects: () => readyStates(this.#compositions.list()),
      leads: () => this.#definitions !== null,
    });
    const refresh = (): void => {
      this.#compositions.refresh().catch((thrown: unknown) => {
        this.#options.log.debug({ error: messageOf(thrown) }, "discovery failed");
      });
    };
    refresh();
    this.#refreshing = setInterval(refresh, DISCOVER_MS);
    // Every replica resumes due starts: no start waits for a change of leader, and resuming one twice is a conflict (409).
    this.#stopStarts.push(startDue({ ...this.#starts(), nowSeconds: () => this.#clock.nowSeconds() }));
  }

  health(): { compositions: number; definitions: number } {
    return { compositions: this.#compositions.list().length, definitions: this.#definitions?.charts().length ?? 0 };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#refreshing);
    const starts = this.#stopStarts.map((stop) => stop());
    const drained = Promise.all([...starts, this.#definitions?.drain(), this.#queue.drain()]);
    await Promise.race([drained, sleep(DRAIN_MS)]);
    this.#compositions.stop();
    this.#context.managed.stop();
    await drained;
    await this.#installer.stop();
    await this.#election?.release().catch(() => undefined);
    await this.#client.close();
  }

  async #handle(key: string): Promise<Result> {
    const [context, gone] = [this.#context, this.#gone.get(key)];
    if (gone) await settleGone(context, gone);
    if (this.#gone.get(key) === gone) this.#gone.delete(key);
    const reconcile = this.#definitions === null ? reportSchedule : reconcileComposition;
    try {
      const composition = await this.#compositions.read(key);
      return await (composition === null ? endGone(context, key) : withLoaded(context, composition, reconcile));
    } catch (thrown) {
      // The informer lags behind a change by another client: handle the key again when it has caught up.
      if (hasStatus(thrown, 409)) return { requeueAfter: 200 };
      if (hasStatus(thrown, 404)) return { requeueAfter: 1000 };
      throw thrown;
    }
  }

  /** Ignores the back-off. */
  #reconcileNow(key: string): void {
    this.#queue.forget(key);
    this.#queue.add(key);
  }

  #joinElection(lead: NonNullable<ControllerOptions["lead"]>): void {
    this.#election = joinElection({ ...this.#options, lead });
    void this.#election.elected.then(() => {
      if (!this.#stopped) this.#lead();
    });
  }

  /** Starts the work of the leader alone: to install, to have planned starts decided again, and what the caller adds. */
  #lead(): void {
    const { scheduleOnly, reconsiderSeconds: everySeconds, onStartedLeading, keys, log } = this.#options;
    onStartedLeading();
    const context = this.#context;
    const pausingRuns = (): Set<string> => openPauses(context.runs.list());
    if (everySeconds > 0)
      this.#stopStarts.push(reconsiderStarts({ ...this.#starts(), everySeconds, random: Math.random, pausingRuns }));
    if (scheduleOnly) return;
    this.#stopStarts.push(probeAdmission({ ...this.#options, client: this.#client, nowSeconds }));
    const isCurrent = (): boolean => this.#compositions.isCurrent();
    const all = (): Composition[] => this.#compositions.list();
    const list = (): Composition[] | null => (isCurrent() ? all() : null);
    if (keys !== null) this.#stopStarts.push(sweepBindings({ bindings: context.bindings, list, log }));
    this.#stopStarts.push(sweepIdentities({ release: this.#installer.releaseIdentities, list, log }));
    this.#stopStarts.push(finishRemovals({ context, list, log }));
    const reconcileNow = (key: string): void => this.#queue.addFirst(key);
    this.#stopStarts.push(endDue({ context, list: all, isCurrent, reconcileNow, log }));
    const uids = { list: all, reconcileNow: (key: string) => this.#reconcileNow(key), runs: context.runs };
    this.#stopStarts.push(serveReportsOf({ ...this.#options, ...uids }));
    this.#definitions = this.#serveDefinitions();
    this.#stopStarts.push(this.#rollouts.start());
    for (const { key } of this.#compositions.list()) this.#reconcileNow(key);
  }

  #serveDefinitions(): Definitions {
    const { log, dataDirectory, helm, charts: trust, chartRegistry: registry, systemNamespace } = this.#options;
    const client = this.#client;
    const { record, clientIn } = this.#context;
    const pins = openPins(client, systemNamespace);
    return serveDefinitions({
      ...{ client, log, backoff: BACKOFF, onFailure: logRetry(log), onLost: logLost(log) },
      context: {
        ...{ client, clientIn, helm, log, nowSeconds, record, pins, registry, trust },
        chartDirectory: join(dataDirectory, "charts"),
      },
      objectsOf: (plural) => this.#compositions.objectsOf(plural),
      onServed: async (chart) => {
        await this.#compositions.refresh();
        const served = this.#compositions.list().filter(({ object }) => object.kind === chart.kind);
        for (const { key } of served) this.#reconcileNow(key);
      },
    });
  }

  /** The parts that resuming and reconsidering starts need. */
  #starts(): StartOptions {
    const { record } = this.#context;
    const { log, metrics } = this.#options;
    return { client: this.#client, list: () => this.#compositions.list(), record, log, nowSeconds, metrics };
  }
}

/** Starts everything that the composition controller does. */
export function startController(options: ControllerOptions): Controller {
  const controller = new CompositionController(options);
  controller.start();
  return controller;
}
