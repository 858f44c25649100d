import type { Logger } from "pino";
import { LandfallError, messageOf } from "../../errors.ts";
import { ANNOTATION } from "../../model/names.ts";
import { startReason } from "../../model/decision-annotation/pause.ts";
import { formatTime } from "../../model/time.ts";
import { ApiError } from "../../cluster/client/api-error.ts";
import { logAbout } from "../../cluster/service/open-logger.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { EventInput, EventRecorder } from "../../cluster/create-event-recorder.ts";
import type { Resource } from "../types.ts";
import type { Composition } from "../context/composition-context.ts";
import type { CompositionMetrics } from "../context/composition-metrics.ts";
import { decisionId } from "../../model/decision-annotation/compact-decision.ts";
import { countdown } from "./countdown.ts";
import { createFairQueue, type Turn } from "../../cluster/queue/fair-queue.ts";
import { missesDeadlineBy, plannedStart } from "../../model/decision-annotation/planned-start.ts";
import { isDue } from "./start-time.ts";
import { textOf } from "../../model/json.ts";

export interface StartOptions {
  client: KubeClient;
  list: () => Composition[];
  record: EventRecorder;
  log: Logger;
  /** Counts how late starts were; not counted if omitted. */
  metrics?: Pick<CompositionMetrics, "started">;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  /** Milliseconds of a monotonic clock: a change of the wall clock does not delay a retry. */
  elapsedMs?: () => number;
  /** Milliseconds between two checks. */
  everyMs?: number;
}

/** Those of the starts themselves. `nowSeconds`: by the API server's clock, so that no replica with a wrong one starts anything; null if it is not known. */
export type DueOptions = Omit<StartOptions, "nowSeconds"> & { nowSeconds: () => number | null };

/** Milliseconds before a failed start is tried again; twice as long after each further refusal, up to about a minute. */
const RETRY_MS = 2000;
const MOST_DOUBLINGS = 5;
/** Doublings for refusals that end on their own (429): up to 8 s. */
const MOST_WHILE_BUSY = 2;
/** Milliseconds that the informer has to show what a start changed; then the start is tried again. */
const UNSEEN_MS = 60_000;
/** Starts underway: thousands that are due at the same time wait for their turn, and namespaces are served in turn. */
const UNDERWAY = { all: 8, group: 4 } as const;
/** A start this many seconds late is reported as late: no controller ran that could resume the object. */
const LATE_SECONDS = 10;

/**
 * How many refusals in a row a start has now. The API server, or a webhook, refuses; a changed object or a server that is
 * unavailable does not count as a refusal.
 */
function refusalsAfter(before: number, thrown: unknown): number {
  const status = thrown instanceof ApiError ? thrown.status : 0;
  if (status === 429) return Math.max(before, Math.min(before + 1, MOST_WHILE_BUSY));
  return status >= 400 && status < 500 && status !== 409 ? Math.min(before + 1, MOST_DOUBLINGS) : before;
}

/** The Event for a run that will end after its deadline. */
function deadlineMissed(composition: Resource, nowSeconds: number, seconds: number): EventInput {
  const { kind, metadata, spec = {} } = composition;
  const [by, deadline, started] = [countdown(seconds).text, textOf(spec["deadline"]), formatTime(nowSeconds)];
  const failure = new LandfallError("REL_DEADLINE_MISSED", { kind, name: metadata.name ?? "", started, deadline, by });
  return { type: "Warning", reason: failure.code, message: failure.line };
}

function started(composition: Resource, nowSeconds: number): EventInput {
  const seconds = missesDeadlineBy(composition, nowSeconds);
  if (seconds > 0) return deadlineMissed(composition, nowSeconds, seconds);
  const why = startReason(composition);
  if (why !== null) return { type: "Normal", reason: "StartedNow", message: `started before its planned time: ${why}` };
  const start = plannedStart(composition) ?? nowSeconds;
  const late = nowSeconds - start;
  if (late <= LATE_SECONDS)
    return { type: "Normal", reason: "Started", message: "its start time has come; the object is resumed" };
  const by = late < 120 ? `${String(late)} s` : `${String(Math.round(late / 60))} min`;
  const message = `started ${by} late: its planned start was ${formatTime(start)}`;
  return { type: "Warning", reason: "StartedLate", message };
}

/** Why a due start is not tried now. */
interface Wait {
  /** Until then, ms of the monotonic clock. */
  until: number;
  /** The wait ends as soon as the object has another resource version; null: it does not. */
  version: string | null;
}

/** Whether a start that ended this way is done with this version of the object: it has succeeded, or the version is old. */
const endsVersion = (thrown: unknown): boolean =>
  thrown === null || (thrown instanceof ApiError && thrown.status === 409);

/** Which starts wait after an attempt, and for how long. */
class Waits {
  readonly #waits = new Map<string, Wait>();
  readonly #refusals = new Map<string, number>();

  /** Notes how the attempt at `elapsed` ended; `thrown` is null for success. */
  note({ key, object }: Composition, elapsed: number, thrown: unknown): void {
    const refusals = this.#refusals.get(key) ?? 0;
    const { resourceVersion: version = null } = object.metadata;
    const wait = endsVersion(thrown)
      ? { until: elapsed + UNSEEN_MS, version }
      : { until: elapsed + RETRY_MS * 2 ** refusals, version: null };
    this.#waits.set(key, wait);
    if (thrown === null) this.#refusals.delete(key);
    else this.#refusals.set(key, refusalsAfter(refusals, thrown));
  }

  has({ key, object }: Composition, elapsed: number): boolean {
    const wait = this.#waits.get(key);
    if (wait === undefined) return false;
    const isOver = wait.until <= elapsed || (wait.version !== null && wait.version !== object.metadata.resourceVersion);
    if (isOver) this.#waits.delete(key);
    return !isOver;
  }

  /** Forgets the objects that no longer exist. */
  keepOnly(keys: ReadonlyMap<string, unknown>): void {
    for (const map of [this.#waits, this.#refusals]) for (const key of map.keys()) if (!keys.has(key)) map.delete(key);
  }
}

/** The starts of one process. */
class Starts {
  readonly #options: DueOptions;
  readonly #elapsedMs: () => number;
  readonly #queue = createFairQueue<string>(UNDERWAY);
  readonly #underway = new Set<Promise<void>>();
  /** Keys in the line or underway. */
  readonly #queued = new Set<string>();
  readonly #waits = new Waits();
  #latest = new Map<string, Composition>();
  #stopped = false;

  constructor(options: DueOptions) {
    this.#options = options;
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now());
  }

  look(): void {
    const { list, nowSeconds } = this.#options;
    const [at, elapsed] = [nowSeconds(), this.#elapsedMs()];
    if (at === null) return;
    this.#latest = new Map(list().map((composition) => [composition.key, composition]));
    this.#waits.keepOnly(this.#latest);
    for (const composition of this.#latest.values()) {
      const { key, object } = composition;
      if (!isDue(object, at) || this.#queued.has(key) || this.#waits.has(composition, elapsed)) continue;
      this.#queued.add(key);
      this.#queue.push(object.metadata.namespace ?? "", key);
    }
    this.#pump();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#underway);
  }

  #pump(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const turn = this.#takeTurn(next).then(() => {
        this.#underway.delete(turn);
        this.#pump();
      });
      this.#underway.add(turn);
    }
  }

  #next(): Turn<string> | null {
    return this.#stopped ? null : this.#queue.take();
  }

  async #takeTurn(turn: Turn<string>): Promise<void> {
    const { item: key } = turn;
    const composition = this.#latest.get(key);
    // It can have changed while it waited for its turn.
    const now = this.#options.nowSeconds();
    if (composition !== undefined && now !== null && isDue(composition.object, now))
      await logAbout({ decision: decisionId(composition.object) }, () => this.#resume(composition, now));
    this.#queued.delete(key);
    this.#queue.done(turn);
  }

  async #resume(composition: Composition, now: number): Promise<void> {
    const { client, log, record } = this.#options;
    const { object, path } = composition;
    const { name, namespace, resourceVersion } = object.metadata;
    const annotations = { [ANNOTATION.paused]: null, [ANNOTATION.started]: formatTime(now) };
    const elapsed = this.#elapsedMs();
    try {
      await client.patch(path, "merge", { metadata: { resourceVersion, annotations } });
      this.#waits.note(composition, elapsed, null);
      log.info({ kind: object.kind, name, namespace }, "started");
      record(object, started(object, now));
      if (startReason(object) === null) this.#options.metrics?.started(now - (plannedStart(object) ?? now));
    } catch (thrown) {
      this.#waits.note(composition, elapsed, thrown);
      log.warn({ kind: object.kind, name, namespace, error: messageOf(thrown) }, "the start failed; trying again");
    }
  }
}

/**
 * Resumes every composition whose start is due by removing its pause. Each check reads every object again and keeps no
 * timers, so a restart or a changed clock loses no start. Every replica does it, not only the leader: a start must not
 * wait for a change of leader, and the resource version lets only one of them succeed. It changes annotations only, so
 * it also works with Krateo's controller. Returns a function that stops it.
 */
export function startDue(options: DueOptions): () => Promise<void> {
  const starts = new Starts(options);
  const timer = setInterval(() => {
    starts.look();
  }, options.everyMs ?? 1000);
  return async () => {
    clearInterval(timer);
    await starts.stop();
  };
}
