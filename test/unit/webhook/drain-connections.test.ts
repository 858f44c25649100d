import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { startWebhook, type TestWebhook } from "../../support/services/webhook-server.ts";
import { type Drain, drainConnections } from "../../../webhook/serving/drain-connections.ts";

interface Started {
  webhook: TestWebhook;
  drain: Drain;
  port: number;
  options: ConnectionOptions;
}

async function start(slowMs = 0): Promise<Started> {
  const drain = drainConnections();
  const webhook = await startWebhook(null, { drain, slowMs });
  const { key, certificate: cert } = webhook.client;
  const port = Number(new URL(webhook.url).port);
  return { webhook, drain, port, options: { port, host: "127.0.0.1", rejectUnauthorized: false, key, cert } };
}

interface Asked {
  status: number;
  connection: string | undefined;
}

/** As the API server does: a POST that is sent once. */
async function post(agent: Agent, options: ConnectionOptions, body = "{}"): Promise<Asked> {
  const { key, cert, ...where } = options;
  const sent = request({
    ...{ ...where, key, cert, agent, path: "/mutate", method: "POST" },
    headers: { "content-type": "application/json" },
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return { status: response.statusCode ?? 0, connection: response.headers.connection };
}

async function openSocket({ webhook, options }: Started): Promise<TLSSocket> {
  const socket = connect(options);
  await once(socket, "secureConnect");
  // The server has accepted it by the time that it answers another one.
  await webhook.get("/healthz");
  return socket;
}

it("asks clients to close connections, is not ready, and answers meanwhile", async () => {
  const { webhook, drain, options } = await start(100);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const before = await post(agent, options);
  const underway = post(agent, options);
  await sleep(30);
  drain.begin();
  expect(before.connection).toBe("keep-alive");
  expect(await underway).toEqual({ status: before.status, connection: "close" });
  expect(await post(agent, options)).toEqual({ status: before.status, connection: "close" });
  expect(await webhook.get("/readyz")).toEqual({ status: 503, body: "not ready: the process is ending" });
  expect((await webhook.get("/healthz")).status).toBe(200);
  await webhook.close();
});

it("ends a connection that no request came on by a FIN, without a wait for it", async () => {
  const started = await start();
  const socket = await openSocket(started);
  const errors: unknown[] = [];
  socket.on("error", (error) => errors.push(error));
  const ended = once(socket, "end");
  socket.resume();
  const began = performance.now();
  await started.webhook.close();
  await ended;
  expect(errors).toEqual([]);
  expect(performance.now() - began).toBeLessThan(1500);
});

it("destroys a connection whose client does not close it", async () => {
  const started = await start();
  const half = { ...started.options, allowHalfOpen: true };
  const socket = connect(half);
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  await started.webhook.get("/healthz");
  socket.on("error", () => undefined);
  socket.resume();
  const began = performance.now();
  await started.webhook.close();
  expect(performance.now() - began).toBeLessThan(5000);
});

it("loses no request of 16 connections while one replica after the other ends", async () => {
  const replicas = await Promise.all(Array.from({ length: 4 }, async () => start(2)));
  /** Where new connections lead, as the Service has it. */
  let current = 0;
  const failures: unknown[] = [];
  let [answered, stopped] = [0, false];
  const agents = replicas.map(() => new Agent({ keepAlive: true }));
  const body = JSON.stringify({ filler: "x".repeat(20_000) });
  // A connection stays with its replica until it is closed.
  const places: number[] = [];
  const loop = async (_: unknown, number: number): Promise<void> => {
    let at = current;
    while (!stopped) {
      places[number] = at;
      const [agent, replica] = [agents[at], replicas[at]];
      if (agent === undefined || replica === undefined) return;
      try {
        const { connection } = await post(agent, replica.options, body);
        answered += 1;
        if (connection === "close") at = current;
      } catch (thrown) {
        failures.push(thrown);
        at = current;
      }
    }
  };
  const loops = Promise.all(Array.from({ length: 16 }, loop));
  for (const { drain, webhook } of replicas.slice(0, -1)) {
    await sleep(150);
    current += 1;
    drain.begin();
    // As long as a Pod drains: until no connection is in use. A busy machine takes longer.
    while (places.some((at) => at < current)) await sleep(20);
    await webhook.close();
  }
  stopped = true;
  await loops;
  for (const agent of agents) agent.destroy();
  await replicas.at(-1)?.webhook.close();
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(100);
});
