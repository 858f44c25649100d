import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { type Dispatcher, request } from "undici";
import type { RestConfig } from "../../cluster/client/rest-config.ts";

export interface Upstream {
  server: string;
  dispatcher: Dispatcher;
  /** Credentials of the controller, and the identity that it acts as. */
  headers: RestConfig["headers"];
}

/** Headers that belong to one connection, or that say who asks. */
const OWN =
  /^(host|connection|keep-alive|transfer-encoding|upgrade|te|trailer|authorization|impersonate-.*|x-remote-.*)$/i;

const kept = (headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => !OWN.test(entry[0]) && entry[1] !== undefined,
    ),
  );

/** Passes a request on to the API server with the identity of `upstream`, and the answer back. */
export async function forwardRequest(
  { server, dispatcher, headers }: Upstream,
  path: string,
  asked: IncomingMessage,
  { body, answer }: { body: Buffer; answer: ServerResponse },
): Promise<void> {
  const given = await request(server + path, {
    method: asked.method ?? "GET",
    headers: { ...kept(asked.headers), ...(await headers()) },
    ...{ body: body.length === 0 ? null : body, dispatcher, headersTimeout: 60_000, bodyTimeout: 60_000 },
  });
  answer.writeHead(given.statusCode, kept(given.headers));
  await pipeline(given.body, answer);
}
