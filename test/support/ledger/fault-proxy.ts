import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, request as forward } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * What happens to a call: it is answered late (ms), with a status of the API server's that it never got to, or not at all although the API
 * server did what it asks for.
 */
export type Fault = { delay: number } | { status: number } | { lost: true } | null;

export interface FaultProxy {
  /** An API server for a client with a token. */
  url: string;
  /** Chooses the fault of each call that is not a watch. */
  choose: (fault: (method: string, path: string) => Fault) => void;
  stop: () => void;
}

const status = (code: number): string =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, message: `a fault of ${String(code)}` });

/** An API server in front of another one, with faults. */
export async function startFaultProxy(server: string, ca: string): Promise<FaultProxy> {
  const agent = new Agent({ ca, keepAlive: true });
  let chosen: (method: string, path: string) => Fault = () => null;

  function pass(request: IncomingMessage, body: Buffer, answer: ServerResponse, isLost: boolean): void {
    const { host: _host, ...headers } = request.headers;
    const options = { method: request.method, headers, agent };
    const call = forward(new URL(request.url ?? "/", server), options, (reply) => {
      if (isLost) {
        reply.resume();
        reply.once("end", () => answer.destroy());
        return;
      }
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      // A watch may say nothing for long.
      answer.flushHeaders();
      reply.pipe(answer);
      reply.on("error", () => answer.destroy());
    });
    call.on("error", () => answer.destroy());
    answer.on("close", () => call.destroy());
    call.end(body);
  }

  async function take(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const url = request.url ?? "/";
    const fault = url.includes("watch=true") ? null : chosen(request.method ?? "GET", url);
    if (fault !== null && "status" in fault) {
      answer.writeHead(fault.status, { "content-type": "application/json" }).end(status(fault.status));
      return;
    }
    if (fault !== null && "delay" in fault) await sleep(fault.delay);
    pass(request, Buffer.concat(parts), answer, fault !== null && "lost" in fault);
  }

  const proxy = createServer((request, answer) => {
    answer.on("error", () => undefined);
    take(request, answer).catch(() => answer.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`,
    choose(fault) {
      chosen = fault;
    },
    stop() {
      proxy.close();
      proxy.closeAllConnections();
      agent.destroy();
    },
  };
}
