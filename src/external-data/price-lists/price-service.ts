import { createGunzip } from "node:zlib";
import { PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EnvHttpProxyAgent, request } from "undici";
import { LandfallError } from "../../errors.ts";
import { Passing } from "../http/passing.ts";
import { retryPassing } from "../http/retry-passing.ts";
import { type Asked, failureOf, refusal } from "./price-failure.ts";

/** Bytes of one answer, decompressed. A page of Google's list has 10 MB, the largest file of AWS 400 MB. */
const JSON_BYTES = 64 * 1024 * 1024;
const FILE_BYTES = 2 * 1024 * 1024 * 1024;
/** Bytes that are read of an error's body, and characters that are shown. */
const ERROR_BYTES = 16 * 1024;
const ERROR_LENGTH = 1000;
/** Seconds: a service that asks for a longer pause is not waited for. */
const LONGEST_PAUSE = 60;

export interface PriceServiceOptions extends Asked {
  headers?: Readonly<Record<string, string>>;
  proxies: { httpProxy: string; httpsProxy: string; noProxy: string };
  /** Until an answer begins, and the longest silence within one. */
  timeoutMs: number;
  /** Of one whole answer. */
  answerMs: number;
  retries: number;
}

/** The bytes of an answer. */
export type Body = AsyncIterable<Buffer>;

/** An HTTP service with price lists. Its errors have the codes PRICES_…. */
export interface PriceService {
  /** The result of `read` for a JSON answer. */
  json<T>(url: URL, read: (answer: unknown) => T): Promise<T>;
  /** The result of `consume` for an answer, decompressed. After a failure that may pass, `consume` gets the answer from its beginning again. */
  file<T>(url: URL, consume: (body: Body) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Counts bytes. Fails above the limit: a service must not exhaust the memory. */
function limited(limit: number, asked: Asked): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length;
      const params = { ...asked, limit: `${String(limit / 1024 / 1024)} MiB` };
      if (size > limit) done(new LandfallError("PRICES_LIMIT", params));
      else done(null, chunk);
    },
  });
}

function decompressor(encoding: unknown, asked: Asked): Transform {
  if (encoding === "gzip") return createGunzip();
  if (encoding === undefined || encoding === "identity") return new PassThrough();
  throw new LandfallError("PRICES_ANSWER", {
    ...asked,
    detail: `its encoding ${JSON.stringify(encoding)} was not asked for`,
  });
}

async function textOf(body: Body): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The beginning of an error's body: the connection is closed after it. */
async function startOf(body: Body): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, ERROR_BYTES).toString("utf8").slice(0, ERROR_LENGTH);
}

function parsed(text: string, asked: Asked): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const isPage = text.trimStart().startsWith("<");
    throw new LandfallError("PRICES_ANSWER", { ...asked, detail: isPage ? "an HTML page" : "no JSON" }, thrown);
  }
}

/** A client of one price list, with limits of time and size, and retries. */
export function openPriceService(options: PriceServiceOptions): PriceService {
  const { headers = {}, proxies, timeoutMs, answerMs, retries } = options;
  const asked: Asked = { source: options.source, option: options.option };
  const times = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const dispatcher = new EnvHttpProxyAgent({ ...proxies, ...times, connect: { timeout: timeoutMs } });
  const policy = retryPassing({ retries, longestPause: LONGEST_PAUSE });

  async function once<T>(url: URL, limit: number, consume: (body: Body) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(answerMs);
    // The reader of the answer throws into the streams before it, whose own errors say less.
    const read: { value?: T; fault?: unknown } = {};
    try {
      const answer = await request(url, { dispatcher, signal, headers: { "accept-encoding": "gzip", ...headers } });
      const steps = [decompressor(answer.headers["content-encoding"], asked), limited(limit, asked)] as const;
      await pipeline(answer.body, ...steps, async (body: Body) => {
        try {
          if (answer.statusCode === 200) read.value = await consume(body);
          else throw refusal(asked, answer, await startOf(body));
        } catch (thrown) {
          read.fault = thrown;
          throw thrown;
        }
      });
      return read.value as T;
    } catch (thrown) {
      throw failureOf(asked, read.fault ?? thrown);
    }
  }

  async function ask<T>(url: URL, limit: number, consume: (body: Body) => Promise<T>): Promise<T> {
    try {
      return await policy.execute(() => once(url, limit, consume));
    } catch (thrown) {
      throw thrown instanceof Passing ? thrown.error : thrown;
    }
  }

  return {
    json: (url, read) => ask(url, JSON_BYTES, async (body) => read(parsed(await textOf(body), asked))),
    file: (url, consume) => ask(url, FILE_BYTES, consume),
    close: () => dispatcher.destroy(),
  };
}
