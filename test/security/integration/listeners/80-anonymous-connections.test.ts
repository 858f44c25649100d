import { once } from "node:events";
import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls, createSecureContext, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startWebhook, type TestWebhook } from "../../../support/services/webhook-server.ts";
import { createAuthenticator } from "../../../../webhook/authentication/create-authenticator.ts";

const ANONYMOUS = createSecureContext();
const REVIEW = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: { uid: "a" } });

let webhook: TestWebhook;
let open: Socket[];

beforeEach(() => {
  open = [];
});
afterEach(async () => {
  for (const socket of open) socket.destroy();
  await webhook.close();
});

const portOf = (): number => Number(new URL(webhook.url).port);

function keep<T extends Socket>(socket: T): T {
  socket.on("error", () => undefined).resume();
  open.push(socket);
  return socket;
}

/** A connection from an address of this machine. */
async function opened(localAddress: string, secureContext = ANONYMOUS): Promise<TLSSocket> {
  const to = { host: "127.0.0.1", port: portOf(), localAddress, secureContext, rejectUnauthorized: false };
  const socket = keep(connectTls(to));
  await Promise.race([once(socket, "secureConnect"), once(socket, "close")]);
  return socket;
}

/** So many connections, one after the other from each address. */
async function flood(addresses: readonly string[], each: number): Promise<TLSSocket[]> {
  const found = await Promise.all(
    addresses.map(async (address) => {
      const sockets: TLSSocket[] = [];
      while (sockets.length < each) sockets.push(await opened(address));
      return sockets;
    }),
  );
  return found.flat();
}

const stillOpen = (sockets: readonly Socket[]): number => sockets.filter(({ closed }) => !closed).length;

/** Waits until no more than `most` of these connections are open. */
const openAtMost = (sockets: readonly Socket[], most: number): Promise<void> =>
  expect.poll(() => stillOpen(sockets), { timeout: 10_000 }).toBeLessThanOrEqual(most);

/** The status of a probe, as the kubelet of the node with this address makes it. */
function probe(localAddress: string): Promise<number | string> {
  return new Promise((resolve) => {
    const given = { host: "127.0.0.1", port: portOf(), path: "/healthz", localAddress, rejectUnauthorized: false };
    const sent = request({ ...given, agent: false, timeout: 5000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("timeout", () => sent.destroy());
    sent.on("error", ({ message }) => {
      resolve(message);
    });
    sent.end();
  });
}

const GET = "GET /healthz HTTP/1.1\r\nhost: webhook\r\n\r\n";

describe("80: connections of peers that nobody authenticated", () => {
  it("are limited for each address, and probes of this address are answered", async () => {
    webhook = await startWebhook(null);
    const held = await flood(["127.0.0.2"], 120);
    await openAtMost(held, 64);
    expect(stillOpen(held)).toBeGreaterThan(30);
    expect(await probe("127.0.0.2")).toBe(200);
    expect(await probe("127.0.0.1")).toBe(200);
  });

  it("are limited in all, end none of the API server's, and keep out none", async () => {
    webhook = await startWebhook(null);
    const { certificate: cert, key } = webhook.client;
    const known = createSecureContext({ cert, key });
    const apiServer = await Promise.all(Array.from({ length: 100 }, () => opened("127.0.0.1", known)));
    const addresses = Array.from({ length: 14 }, (_, index) => `127.0.0.${String(index + 1)}`);
    const held = await flood(addresses, 40);
    await openAtMost(held, 512);
    expect(stillOpen(apiServer)).toBe(100);
    expect((await webhook.post("/validate", REVIEW)).status).toBe(200);
    expect(await probe("127.0.0.20")).toBe(200);
  }, 60_000);

  it("are limited before the handshake too, while the API server's next connection succeeds", async () => {
    webhook = await startWebhook(null);
    const silent = Array.from({ length: 700 }, () =>
      keep(connect({ host: "127.0.0.1", port: portOf(), localAddress: "127.0.0.2" })),
    );
    await Promise.all(silent.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])));
    expect((await webhook.post("/validate", REVIEW)).status).toBe(200);
    await openAtMost(silent, 512);
    expect(stillOpen(silent)).toBeGreaterThan(400);
  }, 60_000);

  it("end after one answer, and after 10 s without a request", async () => {
    webhook = await startWebhook(null);
    const [asking, idle] = [await opened("127.0.0.2"), await opened("127.0.0.2")];
    const began = performance.now();
    asking.write(GET);
    await openAtMost([asking], 0);
    expect(idle.closed).toBe(false);
    await expect.poll(() => idle.closed, { timeout: 15_000 }).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(8000);
  }, 60_000);

  it("stay open for further requests where the API server may have no certificate", async () => {
    const unauthenticated = { read: () => Promise.resolve(null), perSecond: 10 };
    const authenticator = createAuthenticator({ mode: "none", checkToken: null, unauthenticated }, "");
    webhook = await startWebhook(null, { clientName: "", authenticator });
    const socket = await opened("127.0.0.2");
    for (const path of ["/healthz", "/healthz?second", "/healthz?third"]) {
      const answered = once(socket, "data");
      socket.write(GET.replace("/healthz", path));
      expect(String((await answered)[0])).toContain("200 OK");
    }
    await sleep(100);
    expect(socket.closed).toBe(false);
  });

  it("are no longer limited once a token of the API server was shown", async () => {
    const unauthenticated = { read: () => Promise.resolve(null), perSecond: 10 };
    const checkToken = () => Promise.resolve(null);
    webhook = await startWebhook(null, {
      authenticator: createAuthenticator({ mode: "token", checkToken, unauthenticated }, ""),
    });
    const apiServer = await opened("127.0.0.2");
    const answered = once(apiServer, "data");
    const headers = `host: webhook\r\nauthorization: Bearer a\r\ncontent-type: application/json`;
    apiServer.write(
      `POST /validate HTTP/1.1\r\n${headers}\r\ncontent-length: ${String(REVIEW.length)}\r\n\r\n${REVIEW}`,
    );
    expect(String((await answered)[0])).toContain("200 OK");
    const held = (await Promise.all(Array.from({ length: 7 }, () => flood(["127.0.0.2"], 100)))).flat();
    await openAtMost(held, 640);
    expect(apiServer.closed).toBe(false);
  }, 60_000);
});
