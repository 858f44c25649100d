import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveUsers } from "../../../../src/console/users/serve-users.ts";

/** A console in a cluster whose proxy is at 127.0.0.1. Nothing here has a token, so no user's part is asked. */
async function serve(): Promise<number> {
  const users = {
    consoleOf: () => Promise.reject(new Error("not called")),
    size: () => 0,
    stop: () => Promise.resolve(),
  };
  const failed = (): void => undefined;
  const server = serveUsers({ users, origin: "http://landfall.example.org", certificate: null, failed });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** From a Pod that is not the proxy. */
function open(port: number): Socket {
  const socket = connect({ host: "127.0.0.1", port, localAddress: "127.0.0.2" });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** The status that the proxy gets; null if it gets none within two seconds. */
const ofProxy = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const asked = request({ host: "127.0.0.1", port, agent: false, headers: { host: "landfall.example.org" } });
    asked.on("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? null);
    });
    asked.on("error", () => {
      resolve(null);
    });
    asked.setTimeout(2000, () => asked.destroy());
    asked.end();
  });

describe("373: connections of a Pod without rights to the console in a cluster", () => {
  it("keep out no one else, however many are idle", async () => {
    const port = await serve();
    for (let opened = 0; opened < 1100; opened += 100)
      await Promise.all(Array.from({ length: 100 }, () => once(open(port), "connect").catch(() => undefined)));
    expect(await ofProxy(port)).toBe(401);
  }, 60_000);

  it("send no requests without waiting for answers", async () => {
    const port = await serve();
    let count = 0;
    const came = (): void => {
      count += 1;
    };
    subscribe("http.server.request.start", came);
    onTestFinished(() => void unsubscribe("http.server.request.start", came));
    const socket = open(port);
    await once(socket, "connect");
    socket.resume();
    const began = performance.now();
    socket.write("GET /api/objects HTTP/1.1\r\nHost:a\r\n\r\n".repeat(20_000));
    await sleep(2000);
    expect(count).toBeLessThan(2100 + (500 * (performance.now() - began)) / 1000);
    expect(await ofProxy(port)).toBe(401);
  }, 60_000);
});
