import { createInterface } from "node:readline";
import type { KubeConfig } from "@kubernetes/client-node";
import { Agent } from "undici";
import { LandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";

export interface WatchEvent {
  type: string;
  object: unknown;
}

export interface KubeApi {
  /** The parsed answer, or null where the path is not found. Errors: LOCAL_API with the server's message. */
  get(path: string): Promise<unknown>;
  /** A JSON merge patch; null where the object is gone or was changed meanwhile. */
  mergePatch(path: string, patch: unknown): Promise<unknown>;
  /** Creates the object or brings it to this state (server-side apply). Errors: LOCAL_API. */
  apply(path: string, manifest: unknown): Promise<unknown>;
  /** Events until the server ends the watch. */
  watch(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent>;
  close(): Promise<void>;
}

const MERGE = "application/merge-patch+json";
/** JSON is YAML too. */
const APPLY = "application/apply-patch+yaml";
const GONE_OR_CHANGED = new Set([404, 409]);

/**
 * A client of the API server for many small requests: client-node opens a TLS connection per request, which on a small
 * machine costs more than the request itself; here connections are kept.
 */
export async function connectKubeApi(config: KubeConfig): Promise<KubeApi> {
  const options: {
    ca?: Buffer;
    cert?: Buffer;
    key?: Buffer;
    headers?: Record<string, string>;
    rejectUnauthorized?: boolean;
  } = {};
  await config.applyToHTTPSOptions(options);
  const { ca, cert, key, rejectUnauthorized, headers = {} } = options;
  const tls = Object.entries({ ca, cert, key, rejectUnauthorized }).filter(([, value]) => value !== undefined);
  const agent = new Agent({ connect: Object.fromEntries(tls), headersTimeout: 30_000, bodyTimeout: 0 });
  const origin = config.getCurrentCluster()?.server ?? "";

  async function send(method: "GET" | "PATCH", path: string, patch?: unknown, type = MERGE): Promise<unknown> {
    const body = patch === undefined ? {} : { body: JSON.stringify(patch) };
    const sent = { ...headers, ...(patch === undefined ? {} : { "content-type": type }) };
    const answer = await agent.request({ origin, path, method, headers: sent, ...body });
    const text = await answer.body.text();
    if (answer.statusCode < 300) return JSON.parse(text) as unknown;
    if (GONE_OR_CHANGED.has(answer.statusCode)) return null;
    throw new LandfallError("LOCAL_API", { path, detail: `${answer.statusCode} ${text.slice(0, 500)}` });
  }

  async function* watch(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const answer = await agent.request({ origin, path, method: "GET", headers, signal });
    if (answer.statusCode !== 200) {
      throw new LandfallError("LOCAL_API", { path, detail: `${answer.statusCode} ${await answer.body.text()}` });
    }
    for await (const line of createInterface({ input: answer.body, signal })) {
      const event: unknown = JSON.parse(line);
      if (isObject(event)) yield { type: String(event["type"]), object: event["object"] };
    }
  }

  return {
    get: (path) => send("GET", path),
    mergePatch: (path, patch) => send("PATCH", path, patch),
    apply: (path, manifest) => send("PATCH", `${path}?fieldManager=simulators&force=true`, manifest, APPLY),
    watch,
    close: async () => {
      await agent.destroy().catch((thrown: unknown) => messageOf(thrown));
    },
  };
}
