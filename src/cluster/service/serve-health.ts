import { once } from "node:events";
import { createServer } from "node:http";
import type { Registry } from "prom-client";
import { LandfallError, messageOf } from "../../errors.ts";
import { guardListener } from "./guard-listener.ts";
import { sharePage } from "./share-page.ts";
import { createSocketPool } from "./socket-pool.ts";

/** Open connections: a probe and a scraper need one each. One too many ends the least recently used. */
const CONNECTIONS = { all: 128, perAddress: 32 } as const;
/** A probe each second and a scraper need less. */
const LIMITS = {
  connections: { perSecond: 50, atOnce: 500 },
  requests: { perSecond: 20, atOnce: 200 },
  bytes: { perSecond: 64 * 1024, atOnce: 512 * 1024 },
} as const;
/** The metrics are made at most once in so many ms. */
const METRICS_MS = 1000;
/** A request has to arrive within this time, in ms. */
const REQUEST_MS = 10_000;

export interface HealthPages {
  /** Further fields of /healthz; null until the process has started. */
  health: () => object | null;
  /** The content of /metrics; null for no such page. */
  metrics: Pick<Registry, "contentType" | "metrics"> | null;
}

interface Page {
  status: number;
  type: string;
  body: string;
}

const json = (status: number, body: object): Page => ({ status, type: "application/json", body: JSON.stringify(body) });

/** The page of /metrics; null for none. */
function metricsPage({ metrics }: HealthPages): (() => Promise<Page>) | null {
  if (metrics === null) return null;
  return sharePage(METRICS_MS, async () => {
    const body = await metrics.metrics();
    return { status: 200, type: metrics.contentType, body };
  });
}

async function pageOf(
  url: string | undefined,
  { health }: HealthPages,
  metrics: (() => Promise<Page>) | null,
): Promise<Page> {
  if (url === "/metrics" && metrics !== null) return metrics();
  if (url !== "/healthz") return json(404, {});
  const state = health();
  return state === null ? json(503, { ok: false }) : json(200, { ok: true, ...state });
}

/**
 * Serves /healthz, and /metrics if there are any; nothing without a port. Anyone in the cluster can reach it, so its connections are limited. Returns a function that
 * stops it. Throws CLI_PORT if the port cannot be used.
 */
export async function serveHealth(
  { healthPort: port, healthHost: host }: { healthPort?: number; healthHost: string },
  pages: HealthPages,
): Promise<() => void> {
  if (port === undefined) return () => undefined;
  const open = createSocketPool(CONNECTIONS);
  const timeouts = { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 };
  const metrics = metricsPage(pages);
  const server = createServer(timeouts, (request, response) => {
    open.use(request.socket);
    pageOf(request.url, pages, metrics).then(
      ({ status, type, body }) => response.writeHead(status, { "content-type": type }).end(body),
      (thrown: unknown) => response.writeHead(500).end(messageOf(thrown)),
    );
  });
  guardListener(server, { event: "connection", limits: LIMITS });
  server.on("connection", open.add);
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (thrown) {
    const params = { option: "--health-port", port: String(port), detail: messageOf(thrown) };
    throw new LandfallError("CLI_PORT", params, thrown);
  }
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
