import type { FastifyReply, FastifyRequest } from "fastify";
import { LandfallError } from "../../errors.ts";
import type { Page } from "../pages/read-pages.ts";
import { pathOf } from "../server/check-caller.ts";
import type { ConsoleApp } from "./console-app.ts";

const INDEX = "/index.html";

function send(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  const brotli = /\bbr\b/.test(request.headers["accept-encoding"] ?? "") ? page.brotli : null;
  void reply
    .header("content-type", page.type)
    .header("cache-control", page.lasting ? "public, max-age=31536000, immutable" : "no-cache")
    .header("vary", "accept-encoding");
  if (brotli !== null) void reply.header("content-encoding", "br");
  return reply.send(brotli ?? page.body);
}

/** Serves the built pages. Every other path that is not of the API is a view of the one page, which reads its own address. */
export function servePages(app: ConsoleApp, pages: ReadonlyMap<string, Page>): void {
  app.setNotFoundHandler((request, reply) => {
    const pathname = pathOf(request);
    const page = pages.get(pathname) ?? pages.get(INDEX);
    const isView = !pathname.startsWith("/api/") && !pathname.startsWith("/assets/");
    if (request.method !== "GET" || page === undefined || !(isView || pages.has(pathname)))
      throw new LandfallError("CONSOLE_ABSENT", { what: pathname });
    return send(request, reply, page);
  });
}
