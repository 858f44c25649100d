import type { FastifyRequest } from "fastify";
import { LandfallError } from "../../errors.ts";
import type { Sessions } from "./sessions.ts";

/** The path whose requests have no session yet. */
export const SESSION_PATH = "/api/session";

/** Browsers say it of every request; `none`: the user typed the address. */
const OWN_SITES: ReadonlySet<unknown> = new Set(["same-origin", "none"]);
/** Methods that change nothing, of which browsers omit the origin. */
const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const BEARER = /^Bearer ([\w-]{43})$/;

/**
 * Refuses what does not come from the console's own page. Host: a page of another site can point its own name at 127.0.0.1 (DNS
 * rebinding), and its browser then sends that name. Origin and Sec-Fetch-Site: a page of another site can send requests here. Throws
 * CONSOLE_ORIGIN.
 */
function checkOrigin({ headers, method }: FastifyRequest, hosts: readonly string[]): void {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  if (!hosts.includes(host))
    throw new LandfallError("CONSOLE_ORIGIN", { detail: "the header Host names another host" });
  if (origin !== undefined && origin !== `http://${host}`)
    throw new LandfallError("CONSOLE_ORIGIN", { detail: "the header Origin names another site" });
  if (site !== undefined && !OWN_SITES.has(site))
    throw new LandfallError("CONSOLE_ORIGIN", { detail: "the request comes from a page of another site" });
  if (origin === undefined && !READS.has(method))
    throw new LandfallError("CONSOLE_ORIGIN", { detail: "the request has no header Origin" });
}

/** The path of a request as it was sent, of any text: `new URL` throws for some. */
export const pathOf = ({ url }: Pick<FastifyRequest, "url">): string => url.split(/[?#]/, 1)[0] ?? "";

/**
 * By the route that was found, and not by the text of the address, of which the router decodes `%61`. Every route needs a session but the
 * one that opens it; what has no route is a page, or absent.
 */
const needsSession = (request: FastifyRequest): boolean =>
  request.is404 ? pathOf(request).startsWith("/api/") : request.routeOptions.url !== SESSION_PATH;

/** Throws CONSOLE_ORIGIN for a request from elsewhere, and CONSOLE_SESSION for one of the API without a session. */
export function checkCaller(request: FastifyRequest, hosts: readonly string[], sessions: Sessions): void {
  checkOrigin(request, hosts);
  if (!needsSession(request)) return;
  const [, session] = BEARER.exec(request.headers.authorization ?? "") ?? [];
  if (session === undefined || !sessions.isOpen(session)) throw new LandfallError("CONSOLE_SESSION");
}
