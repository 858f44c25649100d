import { readFile } from "node:fs/promises";
import {
  bulkhead,
  BrokenCircuitError,
  circuitBreaker,
  ConsecutiveBreaker,
  DelegateBackoff,
  handleWhen,
  retry,
  wrap,
} from "cockatiel";
import { Agent, request } from "undici";
import { LandfallError, messageOf } from "../../errors.ts";
import type { HttpSettings } from "./read-settings.ts";

/** Size limit of an answer: 10,080 values, the most of a forecast, with 100 bytes each. */
const ANSWER_BYTES = 1024 * 1024;
const FIRST_PAUSE_MS = 200;
/** A service that asks for a longer pause is asked again at the next refresh. */
const LONGEST_PAUSE_S = 10;
const DETAIL_LENGTH = 200;

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
  /** The parsed answer. Throws FORECAST_AWAY, FORECAST_STATUS, FORECAST_ANSWER, FORECAST_TOKEN, FORECAST_CIRCUIT. */
  ask(path: string, options?: { query?: Record<string, string>; body?: unknown }): Promise<unknown>;
  close(): Promise<void>;
}

/** A failure that may be temporary. */
class Passing extends Error {
  readonly error: LandfallError;
  /** Seconds that the service asks to wait. */
  readonly pause: number;

  constructor(error: LandfallError, pause = 0) {
    super(error.message, { cause: error });
    this.error = error;
    this.pause = pause;
  }
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

/** A service's error as one short line; an HTML page is not useful. */
function shortDetail(text: string): string {
  const plain = text.trimStart().startsWith("<") ? "" : text;
  return plain.replace(/\s+/g, " ").trim().slice(0, DETAIL_LENGTH);
}

function refusal(source: string, status: number, text: string, retryAfter: unknown): Error {
  const error = new LandfallError("FORECAST_STATUS", { source, status, detail: shortDetail(text) });
  const pause = Number(retryAfter ?? 0);
  return status === 429 || status === 408 || status >= 500
    ? new Passing(error, Number.isFinite(pause) ? pause : 0)
    : error;
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

/** A service that answers nonsense is asked less, too; but the same question is not asked again at once. */
const isFailure = (thrown: unknown): boolean =>
  thrown instanceof Passing || (thrown instanceof LandfallError && thrown.code === "FORECAST_ANSWER");

function guarded({ http }: ServiceOptions) {
  const passes = handleWhen((thrown) => thrown instanceof Passing && thrown.pause <= LONGEST_PAUSE_S);
  const attempts = retry(passes, {
    maxAttempts: http.retries,
    backoff: new DelegateBackoff(({ attempt, result }) => {
      const asked = "error" in result && result.error instanceof Passing ? result.error.pause * 1000 : 0;
      return Math.max(asked, FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }),
  });
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

  async function once(address: string, body: unknown): Promise<unknown> {
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
      if (answer.statusCode === 200) return parsed(source, text);
      throw refusal(source, answer.statusCode, text, answer.headers["retry-after"]);
    } catch (thrown) {
      const error = asPassing(source, http.timeoutMs, thrown);
      if (isFailure(error)) failure = error.message;
      throw error;
    }
  }

  return {
    ask: async (path, { query = {}, body } = {}) => {
      const search = new URLSearchParams(query).toString();
      try {
        return await policy.execute(() => once(`${url}${path}${search === "" ? "" : `?${search}`}`, body));
      } catch (thrown) {
        if (thrown instanceof Passing) throw thrown.error;
        if (!(thrown instanceof BrokenCircuitError)) throw thrown;
        throw new LandfallError("FORECAST_CIRCUIT", { source, failures: http.breakAfter, detail: failure }, thrown);
      }
    },
    close: () => dispatcher.destroy(),
  };
}
