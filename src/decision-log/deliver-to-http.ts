import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Agent, request } from "undici";
import { type Deliver, Refused } from "./line-buffer.ts";

export interface HttpOptions {
  url: string;
  /** Gives what is sent as a bearer token; null for none. */
  token: (() => Promise<string>) | null;
  timeoutMs: number;
}

const compress = promisify(gzip);

/** Temporary errors, and a token that may be renewed; all others would fail again. */
const isLater = (status: number): boolean => [401, 408, 429].includes(status) || status >= 500;

/** Posts lines in OPA's format: one gzipped JSON array of events. */
export function deliverToHttp({ url, token, timeoutMs }: HttpOptions): Deliver {
  const dispatcher = new Agent({ connect: { timeout: timeoutMs } });
  return async (lines) => {
    const { statusCode, body } = await request(url, {
      method: "POST",
      dispatcher,
      headers: {
        "content-type": "application/json",
        "content-encoding": "gzip",
        ...(token === null ? {} : { authorization: `Bearer ${await token()}` }),
      },
      body: await compress(`[${lines.join(",")}]`),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await body.dump();
    if (statusCode < 300) return;
    const text = `the decision log's service answered ${String(statusCode)}`;
    throw isLater(statusCode) ? new Error(text) : new Refused(text);
  };
}
