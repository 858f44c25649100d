import { randomUUID } from "node:crypto";
import type { Dispatcher } from "undici";
import { FormData, request } from "undici";
import { LandfallError, messageOf } from "../../../errors.ts";
import { hasMoreValues } from "../../../model/formats/count-json.ts";
import type { Call } from "./call.ts";
import type { ClientOptions } from "../client-options.ts";
import { Failure } from "./failure.ts";
import { failureClass } from "../failure-class.ts";
import { readFailure } from "./read-failure.ts";
import type { Session } from "./session.ts";
import { textOf } from "../../../model/json.ts";

/** Elemento's answer that the session is missing or expired. */
export class SessionEnded extends Error {}

export interface Sent {
  readonly status: number;
  readonly text: string;
  readonly cookies: readonly string[];
}

export interface Wire extends Pick<ClientOptions, "urls" | "timeoutMs"> {
  readonly dispatcher: Dispatcher;
}

/**
 * The limits of an answer: one process works for all accounts, and parsed, a list takes up to twenty times its size. A machine has about 40 values
 * in 1 KB.
 */
export const ANSWER_LIMITS = { bytes: 4 * 1024 * 1024, values: 200_000 } as const;

/** Errors before anything was sent. */
const BEFORE_SENDING = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** Used if Elemento names no pause. */
const USUAL_PAUSE_S = 1;

const codeOf = (thrown: unknown): string => (thrown instanceof Error && "code" in thrown ? textOf(thrown.code) : "");

/** Neither the content of such an answer nor the effect of the call is known. Asked again, it would be as large. */
function tooLarge({ operation }: Call<unknown>, limit: string, thrown?: unknown): Failure {
  const error = new LandfallError("ELEMENTO_ANSWER", { operation, detail: `it has more than ${limit}` }, thrown);
  return new Failure(error, { passing: false, untouched: false });
}

function unanswered(call: Call<unknown>, timeoutMs: number, thrown: unknown): Failure {
  if (codeOf(thrown) !== "UND_ERR_RES_EXCEEDED_MAX_SIZE") return away(call, timeoutMs, thrown);
  return tooLarge(call, `${String(ANSWER_LIMITS.bytes)} bytes`, thrown);
}

function away({ service, operation }: Call<unknown>, timeoutMs: number, thrown: unknown): Failure {
  const slow = thrown instanceof Error && thrown.name === "TimeoutError";
  const detail = slow ? `nothing within ${String(timeoutMs)} ms` : messageOf(thrown);
  const reason = slow ? "Timeout" : "Away";
  const error = new LandfallError("ELEMENTO_AWAY", { service, operation, reason, detail }, thrown);
  return new Failure(error, { passing: true, untouched: BEFORE_SENDING.has(codeOf(thrown)) });
}

/** The longest pause that an answer can ask for: one answer must not stop the account's work for days. */
const PAUSE_LIMIT_S = 300;

/** Seconds of a Retry-After header, which may be a date; at most five minutes. */
function pauseSeconds(header: string | string[] | undefined): number {
  const text = String(header ?? "");
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), PAUSE_LIMIT_S) : USUAL_PAUSE_S;
}

/** Elemento accepts no requests for this many seconds. */
export function busy({ service, operation }: Call<unknown>, seconds: number): Failure {
  const error = new LandfallError("ELEMENTO_BUSY", { service, operation, seconds, reason: "TooManyRequests" });
  return new Failure(error, { passing: true, untouched: true, pauseMs: seconds * 1000 });
}

/** A rejected request had no effect; after a server error, the effect is unknown. */
function failed(error: LandfallError): Failure {
  const passing = error.code === "ELEMENTO_FAILED";
  return new Failure(error, { passing, untouched: !passing && failureClass(error) !== "uncertain" });
}

function contentOf({ body, file }: Call<unknown>): { headers: Record<string, string>; body: string | FormData | null } {
  if (file !== undefined) {
    const form = new FormData();
    form.append("file", new Blob([file.text], { type: "text/plain" }), file.name);
    return { headers: {}, body: form };
  }
  if (body === undefined) return { headers: {}, body: null };
  return { headers: { "content-type": "application/json;charset=utf-8" }, body: JSON.stringify(body) };
}

/** Sends one request. Throws Failure for any unsuccessful answer, and SessionEnded. */
export async function sendRequest(wire: Wire, call: Call<unknown>, session: Session): Promise<Sent> {
  const content = contentOf(call);
  const id = randomUUID();
  const answer = await request(`${wire.urls[call.service]}${call.path}`, {
    method: call.method,
    dispatcher: wire.dispatcher,
    headers: {
      accept: "application/json",
      "x-request-id": id,
      ...call.headers,
      ...content.headers,
      ...session.headers,
    },
    body: content.body,
    signal: AbortSignal.timeout(wire.timeoutMs),
  })
    .then(async ({ statusCode, headers, body }) => ({ status: statusCode, headers, text: await body.text() }))
    .catch((thrown: unknown) => {
      throw unanswered(call, wire.timeoutMs, thrown);
    });
  const { status, text, headers } = answer;
  if (hasMoreValues(text, ANSWER_LIMITS.values)) throw tooLarge(call, `${String(ANSWER_LIMITS.values)} values`);
  if (status === 401) throw new SessionEnded();
  if (status === 429) throw busy(call, pauseSeconds(headers["retry-after"]));
  if (status < 200 || status > 299) throw failed(readFailure(call, { status, text, request: id }, session.secrets));
  return { status, text, cookies: [headers["set-cookie"] ?? []].flat() };
}
