import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import type { Logger } from "pino";
import { LandfallError, messageOf } from "../../errors.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import type { Runs } from "../record/open-runs.ts";
import { guardListener } from "../../cluster/service/guard-listener.ts";
import { limitConnections } from "../../cluster/service/socket-pool.ts";
import { receiveReport } from "./receive-report.ts";
import { table } from "../../model/table.ts";

/** How machines reach the listener of their reports. */
export interface ReportOptions {
  port: number;
  /** Folder with tls.crt and tls.key. */
  tlsDirectory: string;
  /** `https://host:port`, as machines reach it. */
  url: string;
}

export interface ReportServer {
  options: ReportOptions;
  runs: Pick<Runs, "read" | "change">;
  ring: () => KeyRing;
  /** Called with the uid of an object whose completion was recorded. */
  onReport: (uid: string) => void;
  log: Logger;
}

const PATH = /^\/v1\/runs\/([0-9a-f-]{36})$/;
/** A report is some twenty bytes. */
const MOST_BYTES = 1024;
/** No one needs more connections than that; above, an old one ends, and its machine tries again. */
const MOST_CONNECTIONS = 64;
/** Machines of many runs may share an address. A handshake takes about 1 ms. */
const LIMITS = {
  connections: { perSecond: 50, atOnce: 500 },
  requests: { perSecond: 50, atOnce: 500 },
  bytes: { perSecond: 128 * 1024, atOnce: 1024 * 1024 },
} as const;
/** For the handshake, and then for the whole request. */
const TIMEOUT_MS = 5000;
const TIMEOUTS = {
  ...{ handshakeTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS },
  connectionsCheckingInterval: 1000,
};
/** Ms between two readings of the certificate, which is replaced before it ends. */
const RENEW_MS = 60_000;

const STATUS: Readonly<Record<string, number>> = table({
  RUN_REPORT_TOKEN: 401,
  RUN_REPORT_BODY: 400,
  RUN_REPORT_REPEATED: 409,
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new LandfallError("RUN_REPORT_BODY", {});
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function answer(server: ReportServer, request: IncomingMessage): Promise<number> {
  const uid = request.method === "POST" ? PATH.exec(request.url ?? "")?.[1] : undefined;
  if (uid === undefined) return 404;
  const { authorization } = request.headers;
  const ring = server.ring();
  await receiveReport({ runs: server.runs, ring }, { uid, authorization, body: await bodyOf(request) });
  server.log.info({ uid }, "a machine reported its completion");
  server.onReport(uid);
  return 204;
}

/** A failure as status and text; the cause of one that is not the machine's goes to the log. */
function failure({ log }: ReportServer, thrown: unknown): { status: number; text: string } {
  const code = thrown instanceof LandfallError ? thrown.code : "";
  const status = STATUS[code];
  if (status !== undefined && thrown instanceof LandfallError) return { status, text: `${thrown.line}\n` };
  log.warn({ error: messageOf(thrown) }, "a report of a completion could not be recorded");
  return { status: 503, text: "try again\n" };
}

async function handle(server: ReportServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    response.writeHead(await answer(server, request)).end();
  } catch (thrown) {
    const { status, text } = failure(server, thrown);
    response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(text);
  }
}

const certificateIn = async (folder: string): Promise<{ cert: Buffer; key: Buffer }> => ({
  cert: await readFile(join(folder, "tls.crt")),
  key: await readFile(join(folder, "tls.key")),
});

async function listen(https: Server, port: number): Promise<number> {
  https.listen(port);
  await once(https, "listening");
  const address = https.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/** Reads the certificate again. One that cannot be used, such as one that is just being replaced, leaves the present one in use. */
async function renew({ options, log }: ReportServer, https: Server): Promise<void> {
  try {
    https.setSecureContext(await certificateIn(options.tlsDirectory));
  } catch (thrown) {
    log.warn({ error: messageOf(thrown) }, "the certificate could not be read again");
  }
}

/** Serves the reports of machines. Only the leader does. Throws RUN_REPORT_LISTENER. */
export async function serveReports(server: ReportServer): Promise<{ port: number; stop: () => Promise<void> }> {
  const { port, tlsDirectory } = server.options;
  try {
    const https = createServer(
      { ...(await certificateIn(tlsDirectory)), ...TIMEOUTS },
      (request, response) => void handle(server, request, response),
    );
    guardListener(https, { event: "secureConnection", limits: LIMITS });
    const endConnections = limitConnections(https, MOST_CONNECTIONS);
    const listening = await listen(https, port);
    // Without a listener, an error of the server would end the process.
    https.on("error", (thrown) => {
      server.log.warn({ error: messageOf(thrown) }, "the listener of reports failed");
    });
    const renewing = setInterval(() => void renew(server, https), RENEW_MS);
    const stop = async (): Promise<void> => {
      clearInterval(renewing);
      const closed = once(https, "close");
      https.close();
      endConnections();
      await closed;
    };
    return { port: listening, stop };
  } catch (thrown) {
    throw new LandfallError("RUN_REPORT_LISTENER", { port: String(port), detail: messageOf(thrown) }, thrown);
  }
}
