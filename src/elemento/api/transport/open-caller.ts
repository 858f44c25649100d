import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import PQueue from "p-queue";
import { shareSlots } from "../../../cluster/queue/share-slots.ts";
import { LandfallError } from "../../../errors.ts";
import type { Call, Caller } from "./call.ts";
import type { ClientOptions } from "../client-options.ts";
import { asCallerSees, Failure } from "./failure.ts";
import { type ElementoCode, isElementoCode } from "../failure-class.ts";
import { logIn } from "./log-in.ts";
import { repeatCall, LONGEST_PAUSE_MS } from "./repeat-call.ts";
import { ANSWER_LIMITS, type Sent, busy, sendRequest, SessionEnded } from "./send-request.ts";
import { type Session, type Sessions, keepSession } from "./session.ts";

export interface AccountQueue {
  /**
   * Runs the work of a group in its turn. If Elemento requires a longer pause than this client waits, it rejects with the error
   * that `paused` makes.
   */
  add<T>(group: string, work: () => Promise<T>, paused: (ms: number) => Error): Promise<T>;
  /** Starts no request for this many milliseconds. */
  pause(ms: number): void;
}

/**
 * The queue of one account: limits concurrent requests and requests per second, and stops while Elemento requires a
 * pause. p-queue is used for its limit per second; elsewhere only concurrency is limited, and p-limit is enough. It serves requests in the order in
 * which they come, so that they come to it only when they have a slot: groups get these in turn, and one group never has all of them.
 */
function openAccountQueue(
  { parallel, requestsPerSecond }: Pick<ClientOptions, "parallel" | "requestsPerSecond">,
  signal: AbortSignal,
): AccountQueue {
  const queue = new PQueue({ concurrency: parallel, intervalCap: requestsPerSecond, interval: 1000, strict: true });
  const slots = shareSlots({ all: parallel, group: Math.max(1, parallel - 1) });
  let until = 0;

  async function afterPause<T>(work: () => Promise<T>, paused: (ms: number) => Error): Promise<T> {
    const left = until - Date.now();
    if (left > LONGEST_PAUSE_MS) throw paused(left);
    if (left > 0) {
      await sleep(left, undefined, { signal }).catch(() => {
        throw paused(left);
      });
    }
    return await work();
  }

  return {
    add: (group, work, paused) => slots(group, () => queue.add(() => afterPause(work, paused))),
    pause: (ms) => {
      until = Math.max(until, Date.now() + ms);
    },
  };
}

/** How many expired sessions one call survives: other calls may expire them too. */
const SESSIONS = 3;
const ANONYMOUS: Session = { headers: {}, secrets: [] };

type Send = (call: Call<unknown>, session: Session) => Promise<Sent>;

function outcomeOf(thrown: unknown): ElementoCode {
  if (thrown instanceof SessionEnded) return "ELEMENTO_SESSION";
  return thrown instanceof Failure && isElementoCode(thrown.error.code) ? thrown.error.code : "ELEMENTO_ANSWER";
}

/** Reports each request to `onCall`. */
const observed =
  (send: Send, onCall: ClientOptions["onCall"]): Send =>
  async (call, session) => {
    const begin = performance.now();
    const note = (outcome: "ok" | ElementoCode) => {
      const { service, operation } = call;
      onCall({ service, operation, outcome, seconds: (performance.now() - begin) / 1000 });
    };
    try {
      const sent = await send(call, session);
      note("ok");
      return sent;
    } catch (thrown) {
      note(outcomeOf(thrown));
      throw thrown;
    }
  };

/** Without a session Elemento did nothing, so every call can be attempted again. */
async function withSession<T>(
  { operation }: Call<unknown>,
  sessions: Sessions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  for (let used = 0; used < SESSIONS; used += 1) {
    const session = await sessions.current();
    try {
      return await work(session);
    } catch (thrown) {
      if (!(thrown instanceof SessionEnded)) throw thrown;
      sessions.expire(session);
    }
  }
  throw new LandfallError("ELEMENTO_SESSION", { operation, reason: "SessionEnded" });
}

/** An answer that cannot be read does not tell whether the call took effect. */
function understood<T>(call: Call<T>, sent: Sent): T {
  try {
    return call.read({ operation: call.operation, status: sent.status, text: sent.text });
  } catch (thrown) {
    throw thrown instanceof LandfallError ? asCallerSees(call, new Failure(thrown)) : thrown;
  }
}

/** The call's result for a failure. Rethrows the failure if it has none. */
function insteadOf<T>({ instead = {} }: Call<T>, thrown: unknown): T {
  const code = thrown instanceof LandfallError && isElementoCode(thrown.code) ? thrown.code : null;
  if (code === null || !Object.hasOwn(instead, code)) throw thrown;
  return instead[code] as T;
}

export interface OpenCaller {
  /** The calls of a group, such as a namespace: groups are served in turn. */
  readonly callerOf: (group: string) => Caller;
  /** Marks the session as expired although no answer was 401. */
  readonly forgetSession: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The transport to Elemento for one account. */
export function openCaller(options: ClientOptions): OpenCaller {
  const { urls, timeoutMs, account } = options;
  const dispatcher = new Agent({ connect: { timeout: timeoutMs }, maxResponseSize: ANSWER_LIMITS.bytes });
  const closed = new AbortController();
  const queue = openAccountQueue(options, closed.signal);
  const repeats = { ...options, signal: closed.signal };
  const send = observed((call, session) => sendRequest({ urls, timeoutMs, dispatcher }, call, session), options.onCall);

  // Bypasses the queue: its requests wait for the login.
  const login = () => logIn(account, (call) => repeatCall(call, repeats, () => send(call, ANONYMOUS)));
  const sessions = keepSession(login, () => Date.now());

  const queued = (group: string, call: Call<unknown>, session: Session) =>
    queue.add(
      group,
      async () => {
        try {
          return await send(call, session);
        } catch (thrown) {
          if (thrown instanceof Failure && thrown.pauseMs > 0) queue.pause(thrown.pauseMs);
          throw thrown;
        }
      },
      (ms) => busy(call, Math.ceil(ms / 1000)),
    );
  const attempt = (group: string, call: Call<unknown>) =>
    withSession(call, sessions, (session) => queued(group, call, session));

  return {
    callerOf: (group) => async (what) => {
      try {
        return understood(what, await repeatCall(what, repeats, () => attempt(group, what)));
      } catch (thrown) {
        return insteadOf(what, thrown);
      }
    },
    forgetSession: async () => {
      sessions.expire(await sessions.current());
    },
    close: async () => {
      closed.abort();
      await dispatcher.destroy();
    },
  };
}
