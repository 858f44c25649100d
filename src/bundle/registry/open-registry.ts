import { authorize } from "./authorize.ts";
import { type Followed, followRedirects } from "./follow-redirects.ts";
import { openAgent } from "./open-agent.ts";
import type { Reference } from "./parse-reference.ts";
import { readBody, readStart } from "./read-body.ts";
import { registryFailure } from "./registry-failure.ts";
import type { RegistryOptions } from "./registry-options.ts";

const ERROR_LIMIT = 16 * 1024;
const DEFAULT_TIMEOUT_MS = 30_000;

export interface Registry {
  /** The body at `/v2/<repository>/<path>`; null for 404 if `optional`. Throws BUNDLE_REGISTRY_…, BUNDLE_LIMIT. */
  get(reference: Reference, path: string, ask: Ask): Promise<Buffer | null>;
  close(): Promise<void>;
}

export interface Ask {
  accept?: string;
  /** Maximum number of bytes. */
  limit: number;
  optional?: boolean;
}

/** The login that a repository accepted, and the challenge that asked for it. */
interface Login {
  authorization: string;
  challenge: string;
}

/**
 * Whether a request needs other credentials. Registries say that a login has expired by 401; ECR says it by 403 and ECR Public by 400, both
 * without a challenge (aws/containers-roadmap, issue 2835; awslabs/eksdemo, pull request 68).
 */
function wantsLogin({ answer, moved }: Followed, kept: Login | undefined): boolean {
  if (moved) return false;
  return answer.statusCode === 401 || (kept !== undefined && [400, 403].includes(answer.statusCode));
}

/** The body of a 200, null for an expected 404; everything else is an error with a code. */
async function bodyOf({ answer, moved }: Followed, ref: string, { limit, optional }: Ask): Promise<Buffer | null> {
  if (answer.statusCode === 200) return readBody(answer.body, ref, limit);
  const text = await readStart(answer.body, ERROR_LIMIT);
  if (answer.statusCode === 404 && optional === true) return null;
  throw registryFailure(ref, answer, moved ? "after a redirect" : text);
}

/**
 * Read access to a registry over HTTP. Credentials come from the docker configuration through crane; `ca` is trusted in
 * addition to Node's CAs. No request is made before the first `get`. Throws BUNDLE_REGISTRY if the CA file cannot be
 * read.
 */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const { plainHttp, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const { agent, meter } = await openAgent(options);
  const { request } = await import("undici");
  const known = new Map<string, Login>();
  const send = (
    reference: Reference,
    path: string,
    { accept = "*/*" }: Ask,
    within: AbortSignal,
  ): Promise<Followed> => {
    const { host, repository } = reference;
    const authorization = known.get(`${host}/${repository}`)?.authorization;
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), within]);
    const start = new URL(`${plainHttp === true ? "http" : "https"}://${host}/v2/${repository}/${path}`);
    return followRedirects(start, {
      ref: `${host}/${repository}/${path}`,
      plainHttp: plainHttp === true,
      ask: (url, ownOrigin) => {
        const credentials = ownOrigin && authorization !== undefined ? { authorization } : {};
        return request(url, { dispatcher: agent, headers: { accept, ...credentials }, signal });
      },
    });
  };
  const get: Registry["get"] = async (reference, path, ask) => {
    const ref = `${reference.host}/${reference.repository}/${path}`;
    const watched = meter.watch(ref, ask.limit);
    const at = `${reference.host}/${reference.repository}`;
    const kept = known.get(at);
    try {
      const first = await send(reference, path, ask, watched.signal);
      if (!wantsLogin(first, kept)) return await bodyOf(first, ref, ask);
      const { headers, body } = first.answer;
      await body.dump();
      // The known login has expired. crane reads the docker configuration again, whose file a mounted Secret may have replaced.
      const challenge = String(headers["www-authenticate"] ?? kept?.challenge ?? "");
      known.set(at, { authorization: await authorize(reference, challenge, options), challenge });
      return await bodyOf(await send(reference, path, ask, watched.signal), ref, ask);
    } catch (thrown) {
      throw registryFailure(ref, thrown);
    } finally {
      watched.end();
    }
  };
  return { get, close: () => agent.close() };
}
