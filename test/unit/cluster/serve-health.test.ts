import { createServer, Server } from "node:net";
import { once } from "node:events";
import { Gauge, Registry } from "prom-client";
import { expect, it, onTestFinished, vi } from "vitest";
import { serveHealth } from "../../../src/cluster/service/serve-health.ts";

async function listening(): Promise<{ port: number; close: () => void }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const close = (): void => void server.close();
  onTestFinished(close);
  return { port: address.port, close };
}

async function freePort(): Promise<number> {
  const { port, close } = await listening();
  close();
  return port;
}

it("reports that the process is not ready, then its status, and nothing after a stop", async () => {
  const port = await freePort();
  let state: object | null = null;
  const metrics = new Registry();
  new Gauge({ name: "landfall_up", help: "Always 1.", registers: [metrics] }).set(1);
  const stop = await serveHealth({ healthPort: port, healthHost: "127.0.0.1" }, { health: () => state, metrics });
  onTestFinished(stop);
  const get = async (path: string): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${String(port)}${path}`);
    return [response.status, await response.text()];
  };
  expect(await get("/healthz")).toEqual([503, '{"ok":false}']);
  state = { queued: 2 };
  expect(await get("/healthz")).toEqual([200, '{"ok":true,"queued":2}']);
  expect(await get("/metrics")).toEqual([200, expect.stringMatching(/\nlandfall_up 1\n$/)]);
  const { headers } = await fetch(`http://127.0.0.1:${String(port)}/metrics`);
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(await get("/else")).toEqual([404, "{}"]);
  stop();
  await expect(get("/healthz")).rejects.toThrow("fetch failed");
});

it("has a code for a port that is taken", async () => {
  const { port } = await listening();
  await expect(
    serveHealth({ healthPort: port, healthHost: "127.0.0.1" }, { health: () => null, metrics: null }),
  ).rejects.toMatchObject({
    code: "CLI_PORT",
    message: `cannot listen on port ${String(port)}: listen EADDRINUSE: address already in use 127.0.0.1:${String(port)}`,
  });
});

it("serves nothing without a port", async () => {
  const listen = vi.spyOn(Server.prototype, "listen");
  onTestFinished(() => {
    listen.mockRestore();
  });
  const stop = await serveHealth({ healthHost: "127.0.0.1" }, { health: () => null, metrics: null });
  stop();
  expect(listen).not.toHaveBeenCalled();
});
