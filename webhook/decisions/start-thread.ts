import { LandfallError } from "../../src/errors.ts";
import type { ClusterEvent } from "../../src/external-data/cluster-data.ts";
import type { Advice, SchedulerRequest } from "../../src/model/advice.ts";
import type { Reply, ReviewPath } from "../review/answer-review.ts";
import type { BundleIdentity, FromThread, ThreadData, ToldEvent, ToThread, TrialInput } from "./messages.ts";
import { packed } from "../../src/bundle/signature/packed-trust.ts";
import type { Environment } from "../../src/policy/process/open-process.ts";
import { teamNames } from "../../src/policy/process/watch-teams.ts";
import { openWatched, type ProcessEnd } from "../../src/policy/process/watched-process.ts";
import { Slots } from "./slots.ts";

/** A bundle that takes longer to load is rejected: it probably loops. */
const LOAD_MS = 30_000;
/** Most messages that are sent together. */
const GROUP = 64;

/** A request as it came. */
export interface Culprit {
  path: ReviewPath;
  body: string;
}

/** Why a thread ended, and the request that it worked on; null if it worked on none. */
export interface ThreadEnd {
  error: LandfallError;
  culprit: Culprit | null;
}

/** A process that decides with one set of bundles, one request after the other. */
export interface DecisionThread {
  /** Resolves when the bundle has been loaded and probed; rejects with what loading it threw, or with ADM_RESTARTING if no bundle was at work. */
  readonly ready: Promise<BundleIdentity>;
  /** What comparing it with another bundle needs; empty until it is ready. */
  trial(): TrialInput;
  /** Resolves with the reason if the thread ends without `stop`. */
  readonly ended: Promise<ThreadEnd>;
  /**
   * `quiet` keeps it out of the decision log; namespaces take turns. Rejects with ADM_TIMEOUT, ADM_INTERNAL or POL_TEAM if this request ends the thread, with
   * ADM_RESTARTING if another one does, and with ADM_BUSY if it waits too long.
   */
  ask(path: ReviewPath, body: string, quiet?: boolean, namespace?: string): Promise<Reply>;
  tell(event: ToldEvent): void;
  /** Stops the thread after all requests are answered. */
  stop(): Promise<void>;
}

export interface ThreadOptions extends Omit<ThreadData, "consults" | "others" | "absent" | "slowMs"> {
  others?: ThreadData["others"];
  absent?: ThreadData["absent"];
  /** Asks the external scheduler within its time budget; omitted if there is none. Never rejects. */
  consult?: (request: SchedulerRequest) => Promise<Advice>;
  /** How long a request waits for its answer at most, in ms. One decision may take half of it. */
  timeoutMs: number;
  /** What an admitted object adds to the cluster, before it is seen there; `thread` admitted it. */
  onReserved: (event: ClusterEvent, thread: DecisionThread) => void;
  /** The environment of this process; the new one gets little of it. All of it if omitted. */
  env?: Environment | undefined;
  /** Evaluations of a team's rules above this processor time (ms) are told to `onSlowTeam`; none if omitted. */
  slowMs?: number;
  onSlowTeam?: (team: string, namespace: string, ms: number) => void;
  /** Receives lines of the decision log. */
  onDecision?: (line: string) => void;
  /** Time limit of loading in ms. */
  loadMs?: number;
}

interface Pending extends Culprit {
  resolve: (reply: Reply) => void;
  reject: (error: LandfallError) => void;
  since: number;
  /** It was answered already, because it waited too long. */
  expired: boolean;
}

const busy = (): LandfallError => new LandfallError("ADM_BUSY", { scope: "of this cluster" });

/** Refuses the requests that were asked before `asked` (ms). The thread goes on: it is slow, but it does not hang. */
function expire(all: readonly Pending[], asked: number): void {
  for (const one of all) {
    if (one.expired || one.since > asked) continue;
    one.expired = true;
    one.reject(busy());
  }
}

/**
 * Starts a process that decides with these bundles. It loads beside the active one, so that swapping takes no time. A policy that
 * loops or exhausts memory ends only that process: V8 ends a whole process if one allocation does not fit.
 */
export function startThread(options: ThreadOptions): DecisionThread {
  const { others = [], absent = [], slowMs = Infinity, loadMs = LOAD_MS, timeoutMs, ...about } = options;
  const { onReserved, onDecision, onSlowTeam, consult, env, ...rest } = about;
  const data: ThreadData = { ...rest, others, absent, slowMs, consults: consult !== undefined };
  const worker = openWatched<FromThread>(packed(data), {
    ...{ entry: new URL("thread.ts", import.meta.url), env, teams: teamNames(others) },
    limits: { loadMs, decisionMs: timeoutMs / 2 },
    onMessage: take,
    onEnd: finish,
    onTick: (nowMs) => {
      expire(pending.all(), nowMs - timeoutMs);
    },
  });
  const pending = new Slots<Pending>();
  const ready = Promise.withResolvers<BundleIdentity>();
  const ended = Promise.withResolvers<ThreadEnd>();
  let trial: TrialInput = { denies: [], announced: [], times: { platformMs: 0, teamsMs: {} } };
  let loaded = false;
  let end: LandfallError | null = null;
  let onDrained = (): void => undefined;
  // Nobody needs to wait for `ready`: without this, a failure would be an unhandled rejection.
  ready.promise.catch(() => undefined);

  function finish({ error, request, ofBundle }: ProcessEnd): void {
    ready.reject(ofBundle ? error : new LandfallError("ADM_RESTARTING", {}, error));
    const culprit = request === null ? null : (pending.get(request) ?? null);
    end = loaded ? new LandfallError("ADM_RESTARTING", {}, error) : error;
    for (const one of pending.all()) one.reject(one === culprit ? error : end);
    pending.clear();
    onDrained();
    ended.resolve({ error, culprit: culprit && { path: culprit.path, body: culprit.body } });
  }

  // Messages of one turn of the event loop are sent together: waking the other process costs more than sending.
  let unsent: ToThread[] = [];
  const flush = (): void => {
    const messages = unsent;
    unsent = [];
    // In parts, so that the first are decided while the others are on their way.
    for (let at = 0; at < messages.length; at += GROUP) worker.send(messages.slice(at, at + GROUP));
  };
  const send = (message: ToThread): void => {
    if (unsent.push(message) === 1) setImmediate(flush);
  };
  const thread: DecisionThread = {
    ready: ready.promise,
    trial: () => trial,
    ended: ended.promise,
    ask: (path, body, quiet = false, namespace = "") =>
      new Promise((resolve, reject) => {
        if (end !== null) {
          reject(end);
          return;
        }
        const id = pending.add({ path, body, resolve, reject, since: performance.now(), expired: false });
        send({ type: "ask", id, path, body, quiet, untilMs: Date.now() + timeoutMs, namespace });
      }),
    tell: (event) => {
      send({ type: "event", event });
    },
    stop: async () => {
      if (pending.size > 0) await new Promise<void>((resolve) => void (onDrained = resolve));
      end ??= new LandfallError("ADM_INTERNAL", { detail: "the webhook stops" });
      worker.stop();
    },
  };

  function answered({ id, reserved, event, reply }: Extract<FromThread, { type: "reply" }>): void {
    const waiting = pending.take(id);
    if (waiting?.expired !== true && reserved !== null) onReserved(reserved, thread);
    if (event !== null) onDecision?.(event);
    waiting?.resolve(reply);
    if (pending.size === 0) onDrained();
  }

  function dropped(id: number): void {
    pending.take(id)?.reject(busy());
    if (pending.size === 0) onDrained();
  }

  function take(message: FromThread): void {
    if (message.type === "reply") answered(message);
    else if (message.type === "dropped") dropped(message.id);
    else if (message.type === "slow") onSlowTeam?.(message.team, message.namespace, message.ms);
    else if (message.type === "consult") {
      const { id, request } = message;
      void consult?.(request).then((advice) => {
        if (end === null) send({ type: "advice", id, advice });
      });
    } else {
      loaded = true;
      ({ trial } = message);
      ready.resolve(message.bundle);
    }
  }

  return thread;
}
