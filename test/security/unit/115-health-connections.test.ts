import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { serveHealth } from "../../../src/cluster/service/serve-health.ts";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

it("115: the health port holds a limited number of connections, and answers probes meanwhile", async () => {
  const port = await freePort();
  const pages = { health: () => ({}), metrics: null };
  const stop = await serveHealth({ healthPort: port, healthHost: "127.0.0.1" }, pages);
  onTestFinished(stop);
  const open = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
  });
  for (let count = 0; count < 200; count += 1) {
    const socket = connect(port, "127.0.0.1");
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
    await once(socket, "connect");
  }
  await vi.waitFor(() => {
    expect(open.size).toBeLessThanOrEqual(32);
  });
  const response = await fetch(`http://127.0.0.1:${String(port)}/healthz`);
  expect(response.status).toBe(200);
});
