import { readFile } from "node:fs/promises";
import { bulkhead, BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleWhen, wrap } from "cockatiel";
import { Agent, request } from "undici";
import { LandfallError, messageOf } from "../../errors.ts";
import { isPassingStatus, Passing } from "../http/passing.ts";
import { retryAfter } from "../http/retry-after.ts";
import { retryPassing } from "../http/retry-passing.ts";
import { shortDetail } from "../http/short-detail.ts";
import type { HttpSettings } from "./read-settings.ts";

/** Size limit of an answer: 10,080 values, the most of a forecast, with 100 bytes each. */
const ANSWER_BYTES = 1024 * 1024;
/** A service that asks for a longer pause is asked again at the next refresh. */
const LONGEST_PAUSE_S = 10;

export interface ServiceOptions {
  /** The source's name, for messages. */
  source: string;
  url: string;
  tokenFile: string | null;
  /** How the token is sent. */
  authorize: (token: string) => Record<string, string>;
  http: HttpSettings;
}

/** An HTTP service with JSON answers. */
export interface Service {
  /**
   * The result of `read` for the parsed answer. An error that it throws about the answer counts as a failure of the service. Throws
   * FORECAST_AWAY, FORECAST_STATUS, FORECAST_ANSWER, FORECAST_TOKEN, FORECAST_CIRCUIT, and what `read` throws.
   */
  ask<T>(
    path: string,
    read: (answer: unknown) => T,
    options?: { query?: Record<string, string>; body?: unknown },
  ): Promise<T>;
  close(): Promise<void>;
}

async function readToken({ source, tokenFile }: ServiceOptions): Promise<string | null> {
  if (tokenFile === null) return null;
  try {
    const token = (await readFile(tokenFile, "utf8")).trim();
    if (/^[\x21-\x7e]+$/.test(token)) return token;
  } catch (thrown) {
    const detail = messageOf(thrown);
    throw new LandfallError("FORECAST_TOKEN", { source, file: tokenFile, detail }, thrown);
  }
  // The token is never part of a message.
  throw new LandfallError("FORECAST_TOKEN", { source, file: tokenFile, detail: "it holds no single line of text" });
}

function refusal(source: string, status: number, text: string, pause: number): Error {
  const error = new LandfallError("FORECAST_STATUS", { source, status, detail: shortDetail(text) });
  return isPassingStatus(status) ? new Passing(error, pause) : error;
}

function parsed(source: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const begin = text.trimStart().startsWith("<") ? "an HTML page" : "no JSON";
    throw new LandfallError("FORECAST_ANSWER", { source, detail: begin }, thrown);
  }
}

function asPassing(source: string, timeoutMs: number, thrown: unknown): Error {
  if (thrown instanceof LandfallError || thrown instanceof Passing) return thrown;
  const slow = thrown instanceof Error && thrown.name === "TimeoutError";
  const detail = slow ? `nothing within ${String(timeoutMs)} ms` : messageOf(thrown);
  return new Passing(new LandfallError("FORECAST_AWAY", { source, detail }, thrown));
}

const NONSENSE: ReadonlySet<string> = new Set(["FORECAST_ANSWER", "FORECAST_IMPLAUSIBLE"]);

/** A service that answers nonsense is asked less, too; but the same question is not asked again immediately. */
const isFailure = (thrown: unknown): boolean =>
  thrown instanceof Passing || (thrown instanceof LandfallError && NONSENSE.has(thrown.code));

function guarded({ http }: ServiceOptions) {
  const attempts = retryPassing({ retries: http.retries, longestPause: LONGEST_PAUSE_S });
  const breaker = circuitBreaker(handleWhen(isFailure), {
    halfOpenAfter: http.breakSeconds * 1000,
    breaker: new ConsecutiveBreaker(http.breakAfter),
  });
  return wrap(bulkhead(http.parallel, Number.POSITIVE_INFINITY), attempts, breaker);
}

/** A client of one service, with limited concurrency, a time limit, retries and a circuit breaker. */
export function openService(options: ServiceOptions): Service {
  const { source, url, authorize, http } = options;
  const dispatcher = new Agent({ connect: { timeout: http.timeoutMs }, maxResponseSize: ANSWER_BYTES });
  const policy = guarded(options);
  let failure = "";

  async function once<T>(address: string, body: unknown, read: (answer: unknown) => T): Promise<T> {
    const token = await readToken(options);
    try {
      const answer = await request(address, {
        method: body === undefined ? "GET" : "POST",
        dispatcher,
        headers: {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(token === null ? {} : authorize(token)),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(http.timeoutMs),
      });
      const text = await answer.body.text();
      if (answer.statusCode === 200) return read(parsed(source, text));
      throw refusal(source, answer.statusCode, text, retryAfter(answer.headers["retry-after"]));
    } catch (thrown) {
      const error = asPassing(source, http.timeoutMs, thrown);
      if (isFailure(error)) failure = error.message;
      throw error;
    }
  }

  return {
    ask: async (path, read, { query = {}, body } = {}) => {
      const search = new URLSearchParams(query).toString();
      try {
        return await policy.execute(() => once(`${url}${path}${search === "" ? "" : `?${search}`}`, body, read));
      } catch (thrown) {
        if (thrown instanceof Passing) throw thrown.error;
        if (!(thrown instanceof BrokenCircuitError)) throw thrown;
        throw new LandfallError("FORECAST_CIRCUIT", { source, failures: http.breakAfter, detail: failure }, thrown);
      }
    },
    close: () => dispatcher.destroy(),
  };
}
