import { LandfallError } from "../../errors.ts";
import type { DownloadAsk } from "../../model/chart-registry.ts";
import { followRedirects } from "./follow-redirects.ts";
import { openAgent } from "./open-agent.ts";
import { readBody, readStart } from "./read-body.ts";
import { registryFailure } from "./registry-failure.ts";
import type { RegistryOptions } from "./registry-options.ts";

type Download = DownloadAsk & Pick<RegistryOptions, "ca" | "likeGo" | "env" | "timeoutMs">;

const ERROR_LIMIT = 16 * 1024;
/** Of the whole download. */
const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * The body at an address of HTTP, of at most `limit` bytes. Redirects are followed, to addresses without TLS only from one
 * without TLS. Throws BUNDLE_REGISTRY_…, BUNDLE_LIMIT.
 */
export async function download(address: string, options: Download): Promise<Buffer> {
  const start = URL.parse(address);
  if (start === null || !/^https?:$/.test(start.protocol))
    throw new LandfallError("BUNDLE_REGISTRY", { ref: address, detail: "it is not an http or https URL" });
  const ref = `${start.origin}${start.pathname}`;
  const { limit, authorization, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const { agent: dispatcher, meter } = await openAgent(options);
  const { request } = await import("undici");
  const watched = meter.watch(ref, limit);
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), watched.signal]);
  try {
    const { answer, moved } = await followRedirects(start, {
      ...{ ref, plainHttp: start.protocol === "http:" },
      ask: (url, ownOrigin) => {
        const headers = ownOrigin && authorization !== null ? { authorization } : {};
        return request(url, { dispatcher, headers, signal });
      },
    });
    if (answer.statusCode === 200) return await readBody(answer.body, ref, limit);
    const text = await readStart(answer.body, ERROR_LIMIT);
    throw registryFailure(ref, answer, moved ? "after a redirect" : text);
  } catch (thrown) {
    throw registryFailure(ref, thrown);
  } finally {
    watched.end();
    // Not close(): it would wait for a body that is not read to its end.
    await dispatcher.destroy();
  }
}
