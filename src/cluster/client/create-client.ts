import { type Dispatcher, request } from "undici";
import { messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import { type ApiPath, type ApiQuery, queryText } from "../api-path.ts";
import type { RestConfig } from "./rest-config.ts";
import { ApiError } from "./api-error.ts";
import { type Connections, openConnections } from "./open-connections.ts";
import { secondsIn, warningsIn } from "./read-headers.ts";

export type PatchType = "merge" | "json" | "apply";

const PATCH_TYPE: Record<PatchType, string> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
};

/** How something is read. */
export interface ReadOptions {
  query?: ApiQuery | undefined;
  accept?: string | undefined;
  signal?: AbortSignal | undefined;
  /** A longer answer is not read to its end: REL_API with the status 413. 64 MiB if omitted. */
  maxBytes?: number | undefined;
}

/** How the answer of a write is given. */
export interface WriteOptions extends Pick<ReadOptions, "accept"> {
  /** Gets each warning of the answer, also of a refusal: those of the API server and of its webhooks. */
  warned?: ((text: string) => void) | undefined;
}

/** Media type of answers with an object's metadata alone. */
export const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

interface CallOptions extends ReadOptions, Pick<WriteOptions, "warned"> {
  body?: unknown;
  contentType?: string;
}

export interface KubeClient {
  /** Null if there is no such object (404). An answer that is not JSON is returned as a string. */
  get<T>(path: ApiPath, options?: ReadOptions): Promise<T | null>;
  create<T>(path: ApiPath, body: unknown, query?: ApiQuery, options?: WriteOptions): Promise<T>;
  replace<T>(path: ApiPath, body: unknown, query?: ApiQuery, options?: WriteOptions): Promise<T>;
  patch<T>(path: ApiPath, type: PatchType, body: unknown, query?: ApiQuery): Promise<T>;
  /** False if there was no such object. */
  remove(path: ApiPath): Promise<boolean>;
  /** The chunks of a streamed answer, as a watch gives one. */
  stream(path: ApiPath, options: ReadOptions): Promise<AsyncIterable<Buffer>>;
  close(): Promise<void>;
}

const isJson = (type: string | string[] | undefined): boolean => String(type).includes("json");

/** Longest silence in a watch, in ms; the API server sends a bookmark about every minute. */
const STREAM_SILENCE_MS = 150_000;

function detailOf(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed) && typeof parsed["message"] === "string") return parsed["message"];
  } catch {
    // Not a Status object: use the text.
  }
  return text.slice(0, 500);
}

/**
 * The limits of one answer, in bytes and ms. An API server stores a few MiB of an object, and long lists are read in pages; only an answer
 * that never ends reaches them. A watch is a stream, and has neither.
 */
const ANSWER = { bytes: 64 * 1024 * 1024, ms: 60_000 } as const;

/** The text of an answer. Throws REL_API if it is longer or takes longer than allowed; what is left of it is not read. */
async function textOf(body: AsyncIterable<Uint8Array>, action: string, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  const began = performance.now();
  let length = 0;
  for await (const chunk of body) {
    if (performance.now() - began > ANSWER.ms)
      throw new ApiError(0, { action, detail: `the answer did not end within ${String(ANSWER.ms / 1000)} s` });
    length += chunk.length;
    if (length > maxBytes)
      throw new ApiError(413, { action, detail: `the answer has more than ${String(maxBytes)} bytes` });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString();
}

/**
 * Creates a client of one API server. It keeps its connections: client-node makes a new dispatcher, and so a TLS
 * handshake, for each call (docs/adr/0001-own-kubernetes-runtime.md). `sawDate` gets the `Date` header of each answer.
 */
export function createClient(
  config: RestConfig,
  connections: Connections = openConnections(config),
  sawDate: (date: string | string[] | undefined) => void = () => undefined,
): KubeClient {
  const { server, headers: headersOf } = config;

  async function call(method: Dispatcher.HttpMethod, path: ApiPath, options: CallOptions, isStream = false) {
    const action = `${method} ${path}`;
    try {
      const headers: Record<string, string> = { ...(await headersOf()), accept: options.accept ?? "application/json" };
      if (options.body !== undefined) headers["content-type"] = options.contentType ?? "application/json";
      const answer = await request(new URL(server + path + queryText(options.query)), {
        method,
        headers,
        dispatcher: isStream ? connections.streams : connections.calls,
        headersTimeout: 30_000,
        bodyTimeout: isStream ? STREAM_SILENCE_MS : 30_000,
        body: options.body === undefined ? null : JSON.stringify(options.body),
        ...(options.signal ? { signal: options.signal } : {}),
      });
      sawDate(answer.headers["date"]);
      return answer;
    } catch (thrown) {
      throw new ApiError(0, { action, detail: messageOf(thrown) }, thrown);
    }
  }

  async function json<T>(method: Dispatcher.HttpMethod, path: ApiPath, options: CallOptions): Promise<T> {
    const answer = await call(method, path, options);
    const action = `${method} ${path}`;
    for (const warning of warningsIn(answer.headers["warning"])) options.warned?.(warning);
    const text = await textOf(answer.body, action, options.maxBytes ?? ANSWER.bytes).catch((thrown: unknown) => {
      if (thrown instanceof ApiError) throw thrown;
      throw new ApiError(0, { action, detail: messageOf(thrown) }, thrown);
    });
    if (answer.statusCode < 300) return (isJson(answer.headers["content-type"]) ? JSON.parse(text) : text) as T;
    const again = secondsIn(answer.headers["retry-after"]);
    throw new ApiError(answer.statusCode, { action, detail: detailOf(text) }, undefined, again);
  }

  const absent = (thrown: unknown): null => {
    if (thrown instanceof ApiError && thrown.status === 404) return null;
    throw thrown;
  };

  return {
    get: <T>(path: ApiPath, options: ReadOptions = {}) => json<T>("GET", path, options).catch(absent),
    create: (path, body, query, options) => json("POST", path, { ...options, body, query }),
    replace: (path, body, query, options) => json("PUT", path, { ...options, body, query }),
    patch: (path, type, body, query) => json("PATCH", path, { body, query, contentType: PATCH_TYPE[type] }),
    remove: async (path) => (await json("DELETE", path, {}).catch(absent)) !== null,
    async stream(path, options) {
      const answer = await call("GET", path, options, true);
      if (answer.statusCode === 200) return answer.body as AsyncIterable<Buffer>;
      const action = `GET ${path}`;
      throw new ApiError(answer.statusCode, {
        action,
        detail: detailOf(await textOf(answer.body, action, ANSWER.bytes)),
      });
    },
    close: () => connections.destroy(),
  };
}
