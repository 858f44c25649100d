import { once } from "node:events";
import { createServer } from "node:http";
import { LandfallError, messageOf } from "../errors.ts";

export interface HealthPages {
  /** What /healthz says beside `ok`; null until the process has started. */
  health: () => object | null;
  /** Text of /metrics in Prometheus' format; null for none. */
  metrics: (() => string) | null;
}

interface Page {
  status: number;
  type: string;
  body: string;
}

const json = (status: number, body: object): Page => ({ status, type: "application/json", body: JSON.stringify(body) });

function pageOf(url: string | undefined, { health, metrics }: HealthPages): Page {
  if (url === "/metrics" && metrics !== null)
    return { status: 200, type: "text/plain; version=0.0.4", body: metrics() };
  if (url !== "/healthz") return json(404, {});
  const state = health();
  return state === null ? json(503, { ok: false }) : json(200, { ok: true, ...state });
}

/**
 * Serves /healthz, and /metrics where there are any, on the loopback address; with no port nothing. Answers a function that
 * stops it. Throws CLI_PORT where nothing can listen there.
 */
export async function serveHealth(port: number | undefined, pages: HealthPages): Promise<() => void> {
  if (port === undefined) return () => undefined;
  const server = createServer((request, response) => {
    const { status, type, body } = pageOf(request.url, pages);
    response.writeHead(status, { "content-type": type });
    response.end(body);
  });
  try {
    server.listen(port, "127.0.0.1");
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
