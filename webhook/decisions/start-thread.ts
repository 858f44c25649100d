import { Worker } from "node:worker_threads";
import { LandfallError, messageOf } from "../../src/errors.ts";
import type { ClusterEvent } from "../../src/external-data/cluster-data.ts";
import type { Advice, SchedulerRequest } from "../../src/model/advice.ts";
import type { Reply, ReviewPath } from "../review/answer-review.ts";
import type { CompiledPolicy } from "../../src/policy/loaded-bundle.ts";
import type { BundleIdentity, FromThread, ThreadData, ToldEvent, ToThread } from "./messages.ts";
import { Slots } from "./slots.ts";

/** Most garbage is short-lived: a small young generation saves memory and costs no speed. */
const LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 256 };
/** Interval between checks of the oldest request, in ms. */
const WATCH_MS = 250;
/** A bundle that takes longer to load is rejected: it probably loops. */
const LOAD_MS = 30_000;

/** A worker thread that decides with one set of bundles. */
export interface DecisionThread {
  /** Resolves when the bundle has been loaded and probed; rejects with what loading it threw. */
  readonly ready: Promise<BundleIdentity>;
  /** Resolves with the reason if the thread ends without `stop`. */
  readonly ended: Promise<LandfallError>;
  /** `quiet` keeps it out of the decision log. Rejects with ADM_TIMEOUT or ADM_INTERNAL if the thread ends before it answers. */
  ask(path: ReviewPath, body: string, quiet?: boolean): Promise<Reply>;
  tell(event: ToldEvent): void;
  /** Stops the thread after all requests are answered. */
  stop(): Promise<void>;
}

export interface ThreadOptions extends Omit<ThreadData, "consults" | "compiled" | "others" | "absent"> {
  others?: ThreadData["others"];
  absent?: ThreadData["absent"];
  /** Asks the external scheduler within its time budget; omitted if there is none. Never rejects. */
  consult?: (request: SchedulerRequest) => Promise<Advice>;
  /** Time limit of a decision in ms, including its wait for a batch. */
  timeoutMs: number;
  /** What an admitted object adds to the cluster, before it is seen there; `thread` admitted it. */
  onReserved: (event: ClusterEvent, thread: DecisionThread) => void;
  compiled?: CompiledPolicy | null;
  /** Receives the compiled policies, for the next thread. */
  onCompiled?: (compiled: CompiledPolicy) => void;
  /** Receives lines of the decision log. */
  onDecision?: (line: string) => void;
  /** Time limit of loading in ms. */
  loadMs?: number;
}

interface Pending {
  resolve: (reply: Reply) => void;
  reject: (error: LandfallError) => void;
  since: number;
}

const internal = (detail: string, cause?: unknown): LandfallError =>
  new LandfallError("ADM_INTERNAL", { detail }, cause);

/**
 * Starts a thread that decides with these bundles. It loads beside the active thread, so that swapping takes no time. A
 * policy that loops or exhausts memory ends its thread, not the process.
 */
export function startThread(options: ThreadOptions): DecisionThread {
  const {
    others = [],
    absent = [],
    timeoutMs,
    compiled = null,
    onReserved,
    onCompiled,
    onDecision,
    consult,
    loadMs = LOAD_MS,
    ...rest
  } = options;
  const data: ThreadData = { ...rest, others, absent, compiled, consults: consult !== undefined };
  const worker = new Worker(new URL("thread.ts", import.meta.url), { workerData: data, resourceLimits: LIMITS });
  const pending = new Slots<Pending>();
  const ready = Promise.withResolvers<BundleIdentity>();
  const ended = Promise.withResolvers<LandfallError>();
  const began = performance.now();
  let loaded = false;
  let end: LandfallError | null = null;
  let onDrained = (): void => undefined;
  // Nobody needs to wait for `ready`: without this, a failure would be an unhandled rejection.
  ready.promise.catch(() => undefined);

  function finish(error: LandfallError): void {
    if (end !== null) return;
    end = error;
    clearInterval(timer);
    ready.reject(error);
    for (const { reject } of pending.all()) reject(error);
    pending.clear();
    onDrained();
    ended.resolve(error);
    void worker.terminate();
  }

  // One timer for the oldest request instead of a timer for each.
  const timer = setInterval(() => {
    const [since, limit] = loaded
      ? [Math.min(...pending.all().map((request) => request.since)), timeoutMs]
      : [began, loadMs];
    if (performance.now() - since > limit) finish(new LandfallError("ADM_TIMEOUT", { limit }));
  }, WATCH_MS);
  timer.unref();

  // Messages of one turn of the event loop are sent together: waking the other thread costs more than posting.
  let unsent: ToThread[] = [];
  const flush = (): void => {
    const messages = unsent;
    unsent = [];
    worker.postMessage(messages);
  };
  const send = (message: ToThread): void => {
    if (unsent.push(message) === 1) setImmediate(flush);
  };
  const thread: DecisionThread = {
    ready: ready.promise,
    ended: ended.promise,
    ask: (path, body, quiet = false) =>
      new Promise((resolve, reject) => {
        if (end !== null) {
          reject(end);
          return;
        }
        const id = pending.add({ resolve, reject, since: performance.now() });
        send({ type: "ask", id, path, body, quiet });
      }),
    tell: (event) => {
      send({ type: "event", event });
    },
    stop: async () => {
      if (pending.size > 0) await new Promise<void>((resolve) => void (onDrained = resolve));
      end ??= internal("the webhook stops");
      clearInterval(timer);
      await worker.terminate();
    },
  };

  function answered({ id, reserved, event, reply }: Extract<FromThread, { type: "reply" }>): void {
    const waiting = pending.take(id);
    if (reserved !== null) onReserved(reserved, thread);
    if (event !== null) onDecision?.(event);
    waiting?.resolve(reply);
    if (pending.size === 0) onDrained();
  }

  function take(message: FromThread): void {
    if (message.type === "reply") answered(message);
    else if (message.type === "consult") {
      const { id, request } = message;
      void consult?.(request).then((advice) => {
        if (end === null) send({ type: "advice", id, advice });
      });
    } else if (message.type === "ready") {
      loaded = true;
      onCompiled?.(message.compiled);
      ready.resolve(message.bundle);
    } else finish(new LandfallError(message.code, message.params));
  }

  worker.on("message", (messages: FromThread[]) => {
    for (const message of messages) take(message);
  });
  worker.once("error", (thrown) => {
    finish(internal(messageOf(thrown), thrown));
  });
  worker.once("exit", () => {
    finish(internal("the thread that decides has ended"));
  });
  return thread;
}
