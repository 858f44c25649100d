import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import PQueue from "p-queue";
import { LandfallError } from "../../../errors.ts";
import type { Call, Caller } from "./call.ts";
import type { ClientOptions } from "../client-options.ts";
import { asCallerSees, Failure } from "./failure.ts";
import { type ElementoCode, isElementoCode } from "./failure-class.ts";
import { logIn } from "./log-in.ts";
import { repeatCall, LONGEST_PAUSE_MS } from "./repeat-call.ts";
import { type Sent, busy, sendRequest, SessionEnded } from "./send-request.ts";
import { type Session, type Sessions, keepSession } from "./session.ts";

export interface AccountQueue {
  /** Does a work in its turn. Where Elemento wants a longer pause than is waited here, it rejects with what `paused` makes of it. */
  add<T>(work: () => Promise<T>, paused: (ms: number) => Error): Promise<T>;
  /** Starts nothing for so many milliseconds. */
  pause(ms: number): void;
}

/**
 * A queue for one account: so many requests at once and within any second, and none while Elemento asks for a pause.
 * p-queue is here for its limit per second; where only the number at once is limited, p-limit is enough.
 */
function openAccountQueue(
  { parallel, requestsPerSecond }: Pick<ClientOptions, "parallel" | "requestsPerSecond">,
  signal: AbortSignal,
): AccountQueue {
  const queue = new PQueue({ concurrency: parallel, intervalCap: requestsPerSecond, interval: 1000, strict: true });
  let until = 0;
  return {
    add: (work, paused) =>
      queue.add(async () => {
        const left = until - Date.now();
        if (left > LONGEST_PAUSE_MS) throw paused(left);
        if (left > 0) {
          await sleep(left, undefined, { signal }).catch(() => {
            throw paused(left);
          });
        }
        return await work();
      }),
    pause: (ms) => {
      until = Math.max(until, Date.now() + ms);
    },
  };
}

const ANSWER_BYTES = 32 * 1024 * 1024;
/** So many sessions may end under one call: others may end them too. */
const SESSIONS = 3;
const ANONYMOUS: Session = { headers: {}, secrets: [] };

type Send = (call: Call<unknown>, session: Session) => Promise<Sent>;

function outcomeOf(thrown: unknown): ElementoCode {
  if (thrown instanceof SessionEnded) return "ELEMENTO_SESSION";
  return thrown instanceof Failure && isElementoCode(thrown.error.code) ? thrown.error.code : "ELEMENTO_ANSWER";
}

/** Tells `onCall` of each request. */
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

/** Elemento did nothing where it saw no session, so another attempt is safe for every call. */
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

/** An answer that is not understood says nothing about what was done. */
function understood<T>(call: Call<T>, sent: Sent): T {
  try {
    return call.read({ operation: call.operation, status: sent.status, text: sent.text });
  } catch (thrown) {
    throw thrown instanceof LandfallError ? asCallerSees(call, new Failure(thrown)) : thrown;
  }
}

/** The result that a call has for a failure. Throws the failure where it has none. */
function insteadOf<T>({ instead = {} }: Call<T>, thrown: unknown): T {
  const code = thrown instanceof LandfallError && isElementoCode(thrown.code) ? thrown.code : null;
  if (code === null || !Object.hasOwn(instead, code)) throw thrown;
  return instead[code] as T;
}

export interface OpenCaller {
  readonly call: Caller;
  /** Says that Elemento no longer knows the session, though its answer was none of 401. */
  readonly forgetSession: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The way to Elemento for one account. */
export function openCaller(options: ClientOptions): OpenCaller {
  const { urls, timeoutMs, account } = options;
  const dispatcher = new Agent({ connect: { timeout: timeoutMs }, maxResponseSize: ANSWER_BYTES });
  const closed = new AbortController();
  const queue = openAccountQueue(options, closed.signal);
  const repeats = { ...options, signal: closed.signal };
  const send = observed((call, session) => sendRequest({ urls, timeoutMs, dispatcher }, call, session), options.onCall);

  // Not through the queue: a login is what the requests in the queue wait for.
  const login = () => logIn(account, (call) => repeatCall(call, repeats, () => send(call, ANONYMOUS)));
  const sessions = keepSession(login, () => Date.now());

  const queued = (call: Call<unknown>, session: Session) =>
    queue.add(
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
  const attempt = (call: Call<unknown>) => withSession(call, sessions, (session) => queued(call, session));

  return {
    call: async (what) => {
      try {
        return understood(what, await repeatCall(what, repeats, () => attempt(what)));
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
