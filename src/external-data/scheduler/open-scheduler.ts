import { readFile } from "node:fs/promises";
import { BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleAll } from "cockatiel";
import { Agent, request } from "undici";
import { LandfallError, messageOf } from "../../errors.ts";
import type { Advice, SchedulerRequest } from "../../model/advice.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { answerProblem } from "../../model/wrong-value/first-problem.ts";
import { parseTime } from "../../model/time.ts";

const ANSWER_BYTES = 64 * 1024;
/** Consecutive failures after which the scheduler is not asked temporarily: each would cost a request its whole budget. */
const BREAK_AFTER = 5;
const BREAK_MS = 30_000;

export interface SchedulerOptions {
  url: string;
  /** File with a bearer token; null for none. */
  tokenFile: string | null;
  /** Time limit of one request in total. */
  budgetMs: number;
}

/** An external scheduler, as described in the thesis. */
export interface Scheduler {
  /** Never throws and never exceeds its budget: a failure is part of the advice. */
  ask: (request: SchedulerRequest) => Promise<Advice>;
  close(): Promise<void>;
}

interface Answer {
  scheduling_time: string;
  scheduling_location: string;
}

const validate = compileSchema<Answer>({
  type: "object",
  required: ["scheduling_time", "scheduling_location"],
  properties: {
    scheduling_time: { type: "string", maxLength: 100 },
    scheduling_location: { type: "string", minLength: 1, maxLength: 100 },
  },
});

const wrong = (detail: string): LandfallError => new LandfallError("SCHEDULER_ANSWER", { detail });

function readAnswer(text: string): Advice {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong(text.trimStart().startsWith("<") ? "an HTML page" : "no JSON");
  }
  if (!validate(value)) throw wrong(answerProblem(validate, value));
  const start = parseTime(value.scheduling_time);
  if (start === null) throw wrong(`scheduling_time ${value.scheduling_time.slice(0, 40)} is not an RFC 3339 time`);
  return { ok: true, zone: value.scheduling_location, start };
}

async function headersOf(tokenFile: string | null): Promise<Record<string, string>> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  if (tokenFile === null) return headers;
  return { ...headers, authorization: `Bearer ${(await readFile(tokenFile, "utf8")).trim()}` };
}

function failureOf(thrown: unknown, budgetMs: number): LandfallError {
  if (thrown instanceof LandfallError) return thrown;
  if (thrown instanceof BrokenCircuitError) return new LandfallError("SCHEDULER_CIRCUIT", { failures: BREAK_AFTER });
  const slow = thrown instanceof Error && thrown.name === "TimeoutError";
  const detail = slow ? `nothing within ${String(budgetMs)} ms` : messageOf(thrown);
  return new LandfallError("SCHEDULER_AWAY", { detail }, thrown);
}

/** A client of an external scheduler, with a budget for each request and a circuit breaker. */
export function openScheduler({ url, tokenFile, budgetMs }: SchedulerOptions): Scheduler {
  const dispatcher = new Agent({ connect: { timeout: budgetMs }, maxResponseSize: ANSWER_BYTES });
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: BREAK_MS,
    breaker: new ConsecutiveBreaker(BREAK_AFTER),
  });

  async function once(asked: SchedulerRequest): Promise<Advice> {
    const signal = AbortSignal.timeout(budgetMs);
    const { statusCode, body } = await request(url, {
      method: "POST",
      dispatcher,
      headers: await headersOf(tokenFile),
      body: JSON.stringify({ ...asked, req_timeout: budgetMs / 1000 }),
      signal,
    });
    const text = await body.text();
    if (statusCode !== 200) throw new LandfallError("SCHEDULER_STATUS", { status: statusCode });
    return readAnswer(text);
  }

  return {
    ask: async (asked) => {
      try {
        return await breaker.execute(() => once(asked));
      } catch (thrown) {
        const { code, params } = failureOf(thrown, budgetMs);
        return { ok: false, code, params };
      }
    },
    close: () => dispatcher.destroy(),
  };
}
