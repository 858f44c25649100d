import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import pino from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveHealth } from "../../../../src/cluster/service/serve-health.ts";
import { serveReports } from "../../../../src/composition/report/serve-reports.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { createAuthenticator } from "../../../../webhook/authentication/create-authenticator.ts";
import { certificateOf } from "../../../support/services/certificate-of.ts";
import { startWebhook } from "../../../support/services/webhook-server.ts";

const PIPELINED = 6000;
/** 200 kB, of which 16 KiB arrive together. */
const requests = (path: string): string => `GET ${path} HTTP/1.1\r\nHost:a\r\n\r\n`.repeat(PIPELINED);

/** How many requests the parsers of this process have begun since. */
function countRequests(): () => number {
  let count = 0;
  const came = (): void => {
    count += 1;
  };
  subscribe("http.server.request.start", came);
  onTestFinished(() => void unsubscribe("http.server.request.start", came));
  return () => count;
}

/** Sends them all. Returns what was answered within a second after the first answer. */
async function send(socket: Socket, path: string): Promise<string> {
  onTestFinished(() => void socket.destroy());
  let answers = "";
  socket
    .on("error", () => undefined)
    .on("data", (bytes: Buffer) => {
      answers += bytes.toString();
    });
  const answered = once(socket, "data");
  socket.write(requests(path));
  await answered;
  await sleep(1000);
  return answers;
}

async function openTls(port: number): Promise<Socket> {
  const to = { host: "127.0.0.1", port, localAddress: "127.0.0.2", rejectUnauthorized: false };
  const socket = connectTls(to);
  await once(socket, "secureConnect");
  return socket;
}

const answersIn = (text: string): number => text.split("HTTP/1.1 200 OK").length - 1;

describe("189: requests that a peer without credentials sends without waiting for answers", () => {
  it("to the webhook: one is parsed, and the connection ends", async () => {
    const webhook = await startWebhook(null);
    onTestFinished(() => webhook.close());
    const count = countRequests();
    const answers = await send(await openTls(Number(new URL(webhook.url).port)), "/healthz");
    expect(answersIn(answers)).toBe(1);
    expect(count()).toBe(1);
  });

  it("to the webhook that accepts everyone: are answered one after the other, others meanwhile", async () => {
    const unauthenticated = { read: () => Promise.resolve(null), perSecond: 10 };
    const authenticator = createAuthenticator({ mode: "none", checkToken: null, unauthenticated }, "");
    const webhook = await startWebhook(null, { clientName: "", authenticator });
    onTestFinished(() => webhook.close());
    const count = countRequests();
    const sending = send(await openTls(Number(new URL(webhook.url).port)), "/healthz");
    expect((await webhook.get("/healthz")).status).toBe(200);
    // Not the hundreds of the first 16 KiB before it.
    expect(count()).toBeLessThan(150);
    expect(answersIn(await sending)).toBeGreaterThan(300);
  }, 60_000);

  it("to the listener of reports: no more than the rate of an address is parsed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "landfall-reports-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const issued = await certificateOf(new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000));
    await writeFile(join(folder, "tls.crt"), issued.certificate);
    await writeFile(join(folder, "tls.key"), issued.key);
    const runs = { read: () => Promise.resolve(null), change: () => Promise.reject(new Error("not called")) };
    const { port, stop } = await serveReports({
      ...{ options: { port: 0, tlsDirectory: folder, url: "https://127.0.0.1" }, runs },
      ring: () => ringOf(Buffer.alloc(32, 1)),
      onReport: () => undefined,
      log: pino({ level: "silent" }),
    });
    onTestFinished(stop);
    const count = countRequests();
    const began = performance.now();
    await send(await openTls(port), "/x");
    expect(count()).toBeLessThan(510 + (50 * (performance.now() - began)) / 1000);
  });

  it("to the health port: no more than the rate of an address is parsed, and the metrics are made once a second", async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const { port } = probe.address() as AddressInfo;
    probe.close();
    let made = 0;
    const metrics = { contentType: "text/plain" as const, metrics: () => Promise.resolve(String((made += 1))) };
    const pages = { health: () => ({}), metrics } as unknown as Parameters<typeof serveHealth>[1];
    onTestFinished(await serveHealth({ healthPort: port, healthHost: "127.0.0.1" }, pages));
    const count = countRequests();
    const began = performance.now();
    const answers = await send(connect({ host: "127.0.0.1", port, localAddress: "127.0.0.2" }), "/metrics");
    const seconds = (performance.now() - began) / 1000;
    expect(answersIn(answers)).toBeGreaterThan(100);
    expect(count()).toBeLessThan(210 + 20 * seconds);
    expect(made).toBeLessThanOrEqual(1 + seconds);
  });
});
