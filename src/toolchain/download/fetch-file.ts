import type { Dispatcher } from "undici";
import { LandfallError, messageOf } from "../../errors.ts";
import type { Network, ToolSpec } from "../tool-spec.ts";

const REDIRECTS = 5;
const MOVED = new Set([301, 302, 303, 307, 308]);

export interface FetchInput {
  spec: ToolSpec;
  network: Network;
  dispatcher: Dispatcher;
}

/** A TOOL_DOWNLOAD of this program. */
export const refused = ({ name, version }: ToolSpec, detail: string, cause?: unknown): LandfallError =>
  new LandfallError("TOOL_DOWNLOAD", { tool: name, version, detail }, cause);

async function ask(url: URL, { spec, dispatcher }: FetchInput, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  try {
    const { request } = await import("undici");
    return await request(url, { dispatcher, signal });
  } catch (thrown) {
    const { name, version } = spec;
    const params = { tool: name, version, host: url.host, detail: messageOf(thrown) };
    throw new LandfallError("TOOL_UNREACHABLE", params, thrown);
  }
}

/** The address that the answer leads to; null if it is not a redirect. Throws TOOL_DOWNLOAD for one without TLS. */
function next(answer: Dispatcher.ResponseData, from: URL, spec: ToolSpec): URL | null {
  const { location } = answer.headers;
  if (!MOVED.has(answer.statusCode)) return null;
  if (typeof location !== "string") throw refused(spec, `${from.href} redirects to nowhere`);
  const to = new URL(location, from);
  if (to.protocol !== "https:") throw refused(spec, `${from.href} redirects to an address without TLS, ${to.origin}`);
  return to;
}

/** The answer at the end of the redirects. */
async function follow(start: string, input: FetchInput, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  let url = new URL(start);
  for (let left = REDIRECTS; left >= 0; left -= 1) {
    const answer = await ask(url, input, signal);
    const moved = next(answer, url, input.spec);
    if (moved === null && answer.statusCode === 200) return answer;
    await answer.body.dump();
    if (moved === null) throw refused(input.spec, `${url.href} answers with status ${String(answer.statusCode)}`);
    url = moved;
  }
  throw refused(input.spec, `${start} redirects more than ${String(REDIRECTS)} times`);
}

/**
 * The bytes of a file, after redirects with TLS. Throws TOOL_UNREACHABLE when a host does not answer, and TOOL_DOWNLOAD for another status,
 * a file over `bytes`, one that ends early, and one that takes longer than the limits of time.
 */
export async function fetchFile(url: string, input: FetchInput, bytes = input.network.bytes): Promise<Buffer> {
  const { spec, network } = input;
  const signal = AbortSignal.timeout(network.fileMs);
  const answer = await follow(url, input, signal);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop closes the connection.
      if (size > bytes) break;
    }
  } catch (thrown) {
    const detail = signal.aborted ? `not complete after ${String(network.fileMs / 1000)} s` : messageOf(thrown);
    throw refused(spec, `${url}: ${detail}, ${String(size)} bytes came`, thrown);
  }
  if (size > bytes) throw refused(spec, `${url} has more than ${String(bytes)} bytes`);
  return Buffer.concat(chunks);
}
