import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { removeFound } from "../../../../../src/composition/remove/remove-release.ts";
import { memoryRemovals } from "../../../../support/composition/memory-removals.ts";

let server: Server;
let client: KubeClient;
let asked: string[];
/** How long an answer takes, in ms. */
let delayMs = 20;
/** Most connections and calls at a time. */
let most: { connections: number; calls: number };

/** An API server on which every object is being deleted, after a while. */
beforeEach(async () => {
  [asked, most] = [[], { connections: 0, calls: 0 }];
  let [calls, open] = [0, 0];
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    calls += 1;
    most.calls = Math.max(most.calls, calls);
    setTimeout(() => {
      calls -= 1;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }));
    }, delayMs);
  });
  server.on("connection", (socket) => {
    open += 1;
    most.connections = Math.max(most.connections, open);
    socket.on("close", () => (open -= 1));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}`;
  client = createClient({ server: url, tls: {}, headers: () => Promise.resolve({}), namespace: "default" });
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it("of the entries of a status, 200 different ones are read, a few at a time", async () => {
  const managed = Array.from({ length: 2000 }, (_, at) => ({
    path: `/apis/g/v1/namespaces/evil/x/n${String(Math.floor(at / 2))}`,
  }));
  const context = {
    ...{ uninstalled: new Map([["u", "web-u"]]), releases: new Map() },
    ...{ tenant: () => client, client, removals: memoryRemovals() },
  } as unknown as CompositionContext;
  const composition = {
    object: { metadata: { name: "web", namespace: "evil", uid: "u" }, spec: {}, status: { managed } },
  } as unknown as Composition;
  const left = await removeFound(context, composition, null);
  expect(left.length).toBe(200);
  expect([asked.length, new Set(asked).size]).toEqual([200, 200]);
  expect(most.calls).toBeLessThanOrEqual(8);
});

it("calls of one process share at most 128 connections", async () => {
  delayMs = 1000;
  const calls = Array.from({ length: 500 }, (_, at) => client.get(apiPath`/api/v1/namespaces/n${String(at)}`));
  expect((await Promise.all(calls)).length).toBe(500);
  expect(most.connections).toBeLessThanOrEqual(128);
});
