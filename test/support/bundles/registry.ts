import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

export interface TestRegistry {
  /** `127.0.0.1:port` */
  host: string;
  close(): Promise<void>;
}

/** A real registry, in memory, on a free port. */
export async function startRegistry(crane: string): Promise<TestRegistry> {
  const child = spawn(crane, ["registry", "serve", "--address", "127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let port: string | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    port = /serving on port (\d+)/.exec(line)?.[1];
    if (port !== undefined) break;
  }
  child.stderr.resume();
  return {
    host: `127.0.0.1:${port ?? "0"}`,
    close: async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** Answers a request itself, or returns false to let the registry answer. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface FaultyRegistry extends TestRegistry {
  /** The present fault; null for none. */
  fault: Fault | null;
}

/** A proxy before a registry that handles every request without a fault's answer; with TLS if key and cert are given. */
export async function startFaultyRegistry(
  behind: string,
  tls?: { key: string; cert: string },
): Promise<FaultyRegistry> {
  const registry: FaultyRegistry = { host: "", fault: null, close: async () => Promise.resolve() };
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    if (registry.fault?.(incoming, response) === true) return;
    const { method, url: path, headers } = incoming;
    const [host, port] = behind.split(":");
    const onward = request({ host, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once("error", () => response.destroy());
    incoming.pipe(onward);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  registry.host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  registry.close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return registry;
}
