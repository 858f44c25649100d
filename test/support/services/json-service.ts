import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A service's answer. */
export interface Reply {
  status: number;
  /** JSON, or a text that is sent unchanged. */
  body: unknown;
  headers?: Record<string, string>;
}

/** A fault for `times` requests. */
export type Fault = { times: number } & ({ kind: "hang" } | { kind: "cut" } | { kind: "reply"; reply: Reply });

export interface JsonService {
  url: string;
  /** Path and query of every request so far. */
  asked: string[];
  /** Injects faults into the next requests. */
  fail(fault: Fault): void;
  close(): Promise<void>;
}

export type Handle = (request: {
  url: URL;
  headers: IncomingMessage["headers"];
  body: string;
  method: string;
}) => Reply;

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  const type = typeof body === "string" ? "text/html" : "application/json; charset=utf-8";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

function goWrong(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  if (fault.kind === "cut") request.socket.destroy();
  // A hanging service sends no answer.
  if (fault.kind === "reply") send(response, fault.reply);
}

/** A small HTTP service on a free port; `handle` emulates the real one. */
export async function startJsonService(handle: Handle): Promise<JsonService> {
  let fault: Fault | null = null;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? "/", "http://localhost");
      asked.push(url.pathname + url.search);
      const wrong = fault !== null && fault.times-- > 0 ? fault : null;
      if (wrong !== null) goWrong(wrong, request, response);
      else send(response, handle({ url, headers: request.headers, body, method: request.method ?? "" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    asked,
    fail: (next) => void (fault = next),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
