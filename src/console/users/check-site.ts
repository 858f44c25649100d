import type { IncomingMessage } from "node:http";
import { LandfallError } from "../../errors.ts";

/** Browsers say it of every request; `none`: the user typed the address. */
const OWN_SITES: ReadonlySet<unknown> = new Set(["same-origin", "none"]);
/** Methods that change nothing, of which browsers omit the origin. */
const READS: ReadonlySet<unknown> = new Set(["GET", "HEAD"]);
/** A path of the pages, which hold no data: nothing of the API, and nothing that the router would decode. */
const PAGE = /^\/(?!api(?:\/|$))[\w./-]*(?:\?|$)/;

/** Whether a person follows a link to a page: after signing in at another site, or in a message. */
const isVisit = ({ method, url = "", headers }: IncomingMessage): boolean =>
  method === "GET" &&
  headers["sec-fetch-mode"] === "navigate" &&
  headers["sec-fetch-dest"] === "document" &&
  PAGE.test(url);

/**
 * Refuses a request that does not come from the console's own page at `origin`. The proxy in front adds the user's token to whatever their
 * browser sends with its cookie, also on behalf of other sites. Throws CONSOLE_ORIGIN.
 */
export function checkSite(request: IncomingMessage, origin: string): void {
  const { headers, method } = request;
  const { host, origin: from, "sec-fetch-site": site } = headers;
  const wrong = (detail: string): LandfallError => new LandfallError("CONSOLE_SITE", { detail, origin });
  if (host !== new URL(origin).host) throw wrong("the header Host names another host");
  if (from !== undefined && from !== origin) throw wrong("the header Origin names another site");
  if (site !== undefined && !OWN_SITES.has(site) && !isVisit(request))
    throw wrong("the request comes from a page of another site");
  if (from === undefined && !READS.has(method)) throw wrong("the request has no header Origin");
}
