import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { hasStatus } from "../../cluster/client/api-error.ts";
import { guardListener } from "../../cluster/service/guard-listener.ts";
import { createSocketPool } from "../../cluster/service/socket-pool.ts";
import type { Problem } from "../contract/problem.ts";
import { SECURITY_HEADERS } from "../server/headers.ts";
import { problemOf } from "../server/problem-of.ts";
import { checkSite } from "./check-site.ts";
import type { Users } from "./open-users.ts";
import { tokenOf } from "./token-of.ts";

/** Certificate chain and key as PEM. */
export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

export interface ServeOptions {
  users: Users;
  /** The address that browsers open: `https://landfall.example.org`. */
  origin: string;
  /** Null: HTTP, for a proxy in the same Pod or in a network that is encrypted otherwise. */
  certificate: Certificate | null;
  /** Gets each failure that is not the caller's. */
  failed: (thrown: unknown, path: string) => void;
}

/**
 * Connections at a time: one too many ends the least recently used one of its address, or of the address that has the most. All users come by the few
 * addresses of the proxy, which needs some for each stream of changes.
 */
const CONNECTIONS = { all: 1024, perAddress: 512 } as const;
/** The rates of one address: enough for a proxy, whose requests have long tokens. */
const LIMITS = {
  connections: { perSecond: 200, atOnce: 2000 },
  requests: { perSecond: 500, atOnce: 2000 },
  bytes: { perSecond: 8 * 1024 * 1024, atOnce: 64 * 1024 * 1024 },
} as const;
/** A token with the names of many groups is long. */
const HEADER_BYTES = 32_768;

/** A person who opens a page reads the text; a page reads the problem. */
function answer(request: IncomingMessage, reply: ServerResponse, status: number, problem: Problem): void {
  const isPage = !(request.url ?? "").startsWith("/api/");
  const { code, message, remedy } = problem;
  const type = isPage ? "text/plain; charset=utf-8" : "application/json; charset=utf-8";
  const bearer = status === 401 ? { "www-authenticate": "Bearer" } : {};
  reply.writeHead(status, { ...SECURITY_HEADERS, ...bearer, "content-type": type, "cache-control": "no-store" });
  reply.end(isPage ? `Landfall: ${message}.\n${remedy}. [${code}]\n` : JSON.stringify(problem));
}

/** The answer to a request without a user: 401 for no token, and for one that the API server does not accept. */
function refuse(
  request: IncomingMessage,
  reply: ServerResponse,
  thrown: unknown,
  failed: ServeOptions["failed"],
): void {
  const { status, problem } = problemOf(thrown);
  if (problem.kind === "failed") failed(thrown, request.url?.split("?", 1)[0] ?? "");
  answer(request, reply, hasStatus(thrown, 401) ? 401 : status, problem);
}

/**
 * A server whose every request acts with the token that an authenticating proxy puts into its header Authorization, and with no other
 * right. Does not listen yet.
 */
export function serveUsers({ users, origin, certificate, failed }: ServeOptions): Server {
  async function handle(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    try {
      checkSite(request, origin);
      const app = await users.consoleOf(tokenOf(request.headers), reply, request.socket.remoteAddress ?? "");
      app.routing(request, reply);
    } catch (thrown) {
      refuse(request, reply, thrown, failed);
    }
  }
  const open = createSocketPool(CONNECTIONS);
  const listener = (request: IncomingMessage, reply: ServerResponse): void => {
    open.use(request.socket);
    void handle(request, reply);
  };
  const options = { maxHeaderSize: HEADER_BYTES };
  const server =
    certificate === null ? createServer(options, listener) : createTlsServer({ ...options, ...certificate }, listener);
  guardListener(server, { event: certificate === null ? "connection" : "secureConnection", limits: LIMITS });
  server.on("connection", open.add);
  return server;
}
