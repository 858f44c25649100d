import { once } from "node:events";
import { connect } from "node:tls";
import { expect, it } from "vitest";
import { startWebhook } from "../../support/services/webhook-server.ts";

it("a webhook that stops does not wait for a connection that no request came on", async () => {
  const webhook = await startWebhook(null);
  const { key, certificate: cert } = webhook.client;
  const { port } = new URL(webhook.url);
  const socket = connect({ port: Number(port), host: "127.0.0.1", rejectUnauthorized: false, key, cert });
  await once(socket, "secureConnect");
  // The server has accepted it by the time that it answers another one.
  await webhook.get("/healthz");
  const ended = once(socket, "close");
  socket.on("error", () => undefined);
  const began = performance.now();
  await webhook.close();
  await ended;
  expect(performance.now() - began).toBeLessThan(5000);
});
